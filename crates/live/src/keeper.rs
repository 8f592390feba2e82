//! The watcher as a keeper of an index: what it knows, and what it does for a question.

use crate::activity::{Activity, Stand};
use crate::dirty::Dirty;
use crate::door::Door;
use crate::known::Telling;
use crate::limits::Unwatchable;
use crate::state::{Caught, Left, State};
use crate::turn::{Turn, Turns};
use crate::watch::{Bell, Watch};
use orient_engine::{
    Cancel, Depth, Engine, EngineError, Keeper, Mode, Pause, Progress, Refresh, RefreshOptions, Subtrees,
};
use orient_model::RepoPath;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How often whoever waits for a turn looks up.
const LOOK_UP: Duration = Duration::from_millis(50);

/// For so long what uses mean is found out before there is a pause: else that would never end where files change all the
/// time.
const STRETCH: Duration = Duration::from_millis(500);

/// For so long one who needs to know what uses mean lets others go first.
const LET_OTHERS: Duration = Duration::from_secs(2);

/// Told of what was caught up with.
pub type Watcher = Arc<dyn Fn(&Seen) + Send + Sync>;

/// How to watch.
#[derive(Clone)]
pub struct LiveOptions {
    /// Changes are caught up with once nothing has happened for so long.
    pub quiet: Duration,
    /// Or once the first of them is so old.
    pub longest: Duration,
    /// How long to leave the machine to the first question, where there is an index to answer it from.
    pub start: Duration,
    /// After changes, how long to wait before all files are compared once: that notes the tree as a whole, and finds what
    /// no notice tells of.
    pub look_again: Duration,
    /// After a question, all files are compared once more when the last time is so long ago.
    pub look_often: Duration,
    /// Up to how many files are resolved in one step with the change that concerns them; without it, as the engine says.
    pub at_once: Option<usize>,
    /// Of how many branches beside the one that is checked out the files are read while there is nothing else to do.
    pub branches: usize,
    /// Told of everything that was caught up with in the background.
    pub seen: Option<Watcher>,
}

impl Default for LiveOptions {
    fn default() -> Self {
        Self {
            quiet: Duration::from_millis(30),
            // A question does not wait for that, and waits longer where half of a switch is being caught up with.
            longest: Duration::from_millis(1500),
            start: Duration::from_millis(250),
            look_again: Duration::from_secs(2),
            look_often: Duration::from_mins(1),
            at_once: None,
            branches: 0,
            seen: None,
        }
    }
}

/// What was caught up with in the background.
#[derive(Debug)]
pub struct Seen {
    /// Where something was noticed, by path; `.` stands for the whole tree.
    pub paths: Vec<RepoPath>,
    /// How long after the first notice the index was right again; nothing where there was no notice.
    pub behind: Option<Duration>,
    /// What was done.
    pub refresh: Result<Refresh, EngineError>,
    /// Why files are not watched, where they are not.
    pub unwatched: Option<Unwatchable>,
}

/// Watches over one tree and keeps its index fresh. Ends with the last question when dropped.
pub struct Live {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
    door: Option<Door>,
}

/// What questions and the background share.
pub(crate) struct Shared {
    pub(crate) engine: Arc<Engine>,
    pub(crate) options: LiveOptions,
    pub(crate) bell: Bell,
    pub(crate) stop: Cancel,
    pub(crate) activity: Activity,
    turns: Turns,
    state: Mutex<State>,
}

impl Live {
    /// Starts to watch. What has to be done for that is done in the background, as is a first index.
    pub fn start(engine: &Arc<Engine>, options: LiveOptions) -> Self {
        let (watch, bell, unwatched) = match Watch::open(engine.root()) {
            Ok((watch, bell)) => (Some(watch), bell, None),
            Err(why) => (None, Bell::alone(), Some(why)),
        };
        let state = State::new(watch, unwatched);
        let shared = Arc::new(Shared::new(engine, options, bell, state));
        let attending = shared.clone();
        let thread =
            std::thread::Builder::new().name("watch".to_owned()).spawn(move || attending.attend()).ok();
        let door = Door::open(&shared);
        Self { shared, thread, door }
    }

    /// Why the tree is not watched, where it is not. All files are then compared for each question.
    pub fn unwatched(&self) -> Option<Unwatchable> {
        self.shared.state().unwatched.clone()
    }

    /// For how long no command has asked; none where none can, because a newer watcher is asked or the tree is not watched.
    pub fn unasked(&self) -> Option<Duration> {
        self.door.as_ref().filter(|_| self.unwatched().is_none())?.unasked()
    }

    /// Whether every folder is watched and the index was right when that began.
    pub fn is_settled(&self) -> bool {
        self.shared.state().settled
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        self.shared.stop.cancel();
        self.shared.bell.ring();
        self.door = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Keeper for Live {
    fn catch_up(
        &self,
        engine: &Engine,
        options: &RefreshOptions,
        progress: &dyn Progress,
    ) -> Result<Refresh, EngineError> {
        let shared = &*self.shared;
        if !std::ptr::eq(engine, Arc::as_ptr(&shared.engine)) {
            return engine.refresh(options, progress);
        }
        let started = Instant::now();
        let refresh = shared.caught_up(options, progress)?;
        let note = shared.state().note.take();
        Ok(Refresh { elapsed: started.elapsed(), note: note.or(refresh.note), ..refresh })
    }
}

impl Shared {
    fn new(engine: &Arc<Engine>, options: LiveOptions, bell: Bell, state: State) -> Self {
        Self {
            engine: engine.clone(),
            options,
            bell,
            stop: Cancel::default(),
            activity: Activity::default(),
            turns: Turns::default(),
            state: Mutex::new(state),
        }
    }

    /// Catches up with everything that changed before the question, or says what that leaves to be done.
    pub(crate) fn caught_up(
        &self,
        options: &RefreshOptions,
        progress: &dyn Progress,
    ) -> Result<Refresh, EngineError> {
        let started = Instant::now();
        let asked = options.asked.unwrap_or(started);
        let refresh = if let Some(refresh) = self.caught_since(asked, options) {
            refresh
        } else if let Some(refresh) = self.at_rest(options) {
            refresh
        } else {
            loop {
                let turn = self.turn(asked, options, progress)?;
                let refresh = match (self.caught_since(asked, options), &turn) {
                    (Some(refresh), _) => refresh,
                    (None, Some(_)) => self.bring(options, progress)?,
                    (None, None) => self.as_far_as_it_is(started),
                };
                // Where others had to be let through, what is left comes after what they asked for.
                if refresh.owed == 0 || options.depth == Depth::Facts {
                    break refresh;
                }
            }
        };
        let mut state = self.state();
        if state.looked.is_some_and(|(at, _)| at.elapsed() > self.options.look_often) && !state.asked {
            state.asked = true;
            self.bell.ring();
        }
        Ok(refresh)
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a turn, telling what is being done meanwhile; none where that takes too long, or is no longer needed. Where
    /// there is no index to answer from, it is waited for.
    fn turn(
        &self,
        asked: Instant,
        options: &RefreshOptions,
        progress: &dyn Progress,
    ) -> Result<Option<Turn<'_>>, EngineError> {
        let started = Instant::now();
        let most = [options.wait, options.deadline].into_iter().flatten().min();
        let mut told = Stand::default();
        let turn = self.turns.wait(LOOK_UP, || {
            self.activity.tell(&mut told, progress);
            let late = most.is_some_and(|most| started.elapsed() > most);
            let enough = late && self.engine.generation().is_some();
            let needed = self.caught_since(asked, options).is_none();
            if needed {
                self.hurry(asked, options.depth);
            }
            needed && !enough && !options.cancel.is_cancelled()
        });
        if told != Stand::default() {
            progress.done();
        }
        match turn {
            None if options.cancel.is_cancelled() => Err(EngineError::Cancelled),
            turn => Ok(turn),
        }
    }

    /// What there is to say where nothing changed and nobody is at work: that needs no turn.
    fn at_rest(&self, options: &RefreshOptions) -> Option<Refresh> {
        let begun = Instant::now();
        let (left, remembered) = {
            let mut state = self.state();
            let owing = options.depth == Depth::Graph && state.right == Depth::Facts;
            let idle = state.working.is_empty() && !owing && options.mode == Mode::CatchUp;
            if !idle || !state.is_still() {
                return None;
            }
            (state.left?, state.remembered)
        };
        let refresh = Refresh { generation: left.generation, remembered, ..Refresh::default() };
        let found = (self.mark() == Some(left)).then_some(refresh)?;
        self.state().catches(Caught { begun, generation: left.generation });
        Some(found)
    }

    /// What there is to say where somebody began to catch up after the question was put, and is done, or found nothing to
    /// catch up with: one who looks does it for all who wait. What has changed since need not show in the answer.
    fn caught_since(&self, asked: Instant, options: &RefreshOptions) -> Option<Refresh> {
        let mut state = self.state();
        state.drain();
        let caught = match options.depth {
            Depth::Facts => state.known,
            Depth::Graph => state.caught,
        };
        let caught = caught.filter(|caught| caught.begun >= asked && options.mode == Mode::CatchUp)?;
        let (generation, remembered) = (caught.generation, state.remembered);
        Some(Refresh { generation, remembered, ..Refresh::default() })
    }

    /// A turn for the background, which has all the time there is.
    pub(crate) fn turn_in_background(&self) -> Option<Turn<'_>> {
        self.turns.wait(LOOK_UP, || !self.stop.is_cancelled())
    }

    /// What can be said without waiting longer.
    fn as_far_as_it_is(&self, started: Instant) -> Refresh {
        let mut state = self.state();
        state.drain();
        let mut pending = state.dirty.clone();
        pending.restore(state.working.clone());
        if pending.is_empty() || !state.settled {
            pending.all();
        }
        let generation = self.engine.generation().unwrap_or_default();
        Refresh {
            generation,
            pending: pending.paths(),
            busy: true,
            waited: started.elapsed(),
            ..Refresh::default()
        }
    }

    /// Brings the index up to date, by as little as it takes. Asks for a turn.
    pub(crate) fn bring(
        &self,
        options: &RefreshOptions,
        progress: &dyn Progress,
    ) -> Result<Refresh, EngineError> {
        let begun = Instant::now();
        let dirty = {
            let mut state = self.state();
            state.drain();
            if state.dirty.is_all() || !state.rules.stand() {
                state.settled = false;
            }
            let trusted = state.settled && state.watch.is_some() && options.mode == Mode::CatchUp;
            // What is dirty stays so until every folder is watched again, which is done in the background.
            if trusted { Some(state.take()) } else { None }
        };
        let Some(dirty) = dirty else {
            self.bell.ring();
            return self.whole(options, progress, &Dirty::default());
        };
        let known = self.mark() == self.state().left;
        let owing = options.depth == Depth::Graph && self.state().right == Depth::Facts;
        if dirty.is_empty() && known && !owing {
            let state = self.state();
            let generation = state.left.map_or(0, |left| left.generation);
            return Ok(Refresh { generation, remembered: state.remembered, ..Refresh::default() });
        }
        if !self.watch_places(&dirty) || !known || dirty.is_many() {
            return self.whole(options, progress, &dirty);
        }
        let telling = Telling { shared: self, progress, begun };
        let options = RefreshOptions { pause: Some(self.begin()), ..options.clone() };
        let done = self.engine.refresh_region(&dirty.region(), &options, &telling);
        self.finish(&done, dirty, begun);
        done
    }

    /// Compares all files.
    pub(crate) fn whole(
        &self,
        options: &RefreshOptions,
        progress: &dyn Progress,
        dirty: &Dirty,
    ) -> Result<Refresh, EngineError> {
        let started = Instant::now();
        let options = &RefreshOptions { pause: Some(self.begin()), ..options.clone() };
        let done = self.engine.refresh(options, &Telling { shared: self, progress, begun: started });
        self.finish(&done, dirty.clone(), started);
        let mut state = self.state();
        state.drain();
        if let Ok(refresh) = &done {
            state.remembered = refresh.remembered && state.dirty.is_empty();
            state.looked = Some((Instant::now(), started.elapsed()));
            state.asked = false;
            if refresh.in_memory {
                state.settled = false;
            }
        }
        done
    }

    /// Notes what is left to do, and what the index is now, after work that began at a moment.
    fn finish(&self, done: &Result<Refresh, EngineError>, dirty: Dirty, begun: Instant) {
        let mut state = self.state();
        state.working = Dirty::default();
        match done {
            Ok(refresh) => {
                for path in &refresh.pending {
                    state.dirty.note(path.clone(), crate::dirty::Change::Place);
                }
                let file = self.file();
                state.left = Some(Left { generation: refresh.generation, file });
                if state.held.as_ref().is_none_or(|(held, _)| *held != file) {
                    state.held = Some((file, self.engine.hold()));
                }
                state.right = if refresh.owed > 0 { Depth::Facts } else { Depth::Graph };
                if refresh.owed > 0 {
                    self.bell.ring();
                }
                if refresh.pending.is_empty() && !refresh.busy && !refresh.in_memory {
                    state.catches_since(begun, refresh.generation);
                }
            }
            Err(_) => state.dirty.restore(dirty),
        }
    }

    /// Begins work, and gives what asks for a pause in it.
    fn begin(&self) -> Pause {
        let asked = Cancel::default();
        self.state().pause = asked.clone();
        Pause { asked, after: STRETCH }
    }

    /// Asks whoever is at work for a pause, where something changed since and this question needs no more than what is in
    /// the files; unless one that needs more has waited long enough.
    fn hurry(&self, asked: Instant, depth: Depth) {
        let mut state = self.state();
        if depth == Depth::Graph {
            state.deep.get_or_insert(asked);
        } else if !state.dirty.is_empty() && state.deep.is_none_or(|since| since.elapsed() < LET_OTHERS) {
            state.pause.cancel();
        }
    }

    /// Notes that the index is right about what is in the files, in work that began at a moment and goes on.
    pub(crate) fn knows(&self, generation: u64, begun: Instant) {
        let mut state = self.state();
        state.working = Dirty::default();
        state.right = Depth::Facts;
        state.left = Some(Left { generation, file: self.file() });
        state.catches_since(begun, generation);
        drop(state);
        self.turns.look_up();
    }

    /// Watches what may have come at the places of folders. Says whether all is watched as it should be.
    fn watch_places(&self, dirty: &Dirty) -> bool {
        let places = dirty.places();
        if places.is_empty() {
            return true;
        }
        let root = self.engine.root();
        let is_folder = |path: &RepoPath| {
            let native =
                orient_engine::to_native(path).map_or_else(|| root.to_owned(), |path| root.join(path));
            native.symlink_metadata().is_ok_and(|metadata| metadata.is_dir())
        };
        {
            let mut state = self.state();
            let Some(watch) = &mut state.watch else { return false };
            if !watch.holds(&places) && !places.roots().iter().any(is_folder) {
                return true;
            }
            watch.forget(&places);
        }
        self.watch_all(Some(&places))
    }

    /// Watches every folder of a region, or of the tree, until a look finds no other: what came before a folder was
    /// watched is then found by whoever looks next. Says whether that succeeded.
    pub(crate) fn watch_all(&self, region: Option<&Subtrees>) -> bool {
        loop {
            let Ok(survey) = self.engine.survey(region) else { return false };
            let mut state = self.state();
            let mut new = false;
            for folder in &survey.folders {
                let Some(watch) = &mut state.watch else { return false };
                match watch.add(folder) {
                    Ok(added) => new |= added,
                    Err(why) => {
                        state.give_up(why);
                        return false;
                    }
                }
            }
            if region.is_some() {
                state.rules.extend(survey.rules);
            } else {
                state.rules = survey.rules;
                if let Some(watch) = &mut state.watch {
                    watch.keep_only(&survey.folders.into_iter().collect());
                }
            }
            if !new || self.stop.is_cancelled() {
                return !new;
            }
        }
    }

    /// The index as it is.
    fn mark(&self) -> Option<Left> {
        Some(Left { generation: self.engine.generation()?, file: self.file() })
    }

    /// The number of the file the index is in; a new index is a new file.
    #[cfg(unix)]
    pub(crate) fn file(&self) -> u64 {
        use std::os::unix::fs::MetadataExt;
        self.engine.place().index().metadata().map_or(0, |metadata| metadata.ino())
    }

    #[cfg(not(unix))]
    fn file(&self) -> u64 {
        0
    }
}
