//! Segmentation of Chinese, Japanese and Korean: the division of a text into terms of the glossary that leaves the fewest characters over.
//!
//! A shortest path over the positions of the text (Viterbi): every term costs one step, and a character outside of terms costs more. Longer
//! terms therefore win over shorter ones, and `数据库连接` is `数据库 连接`.

use super::glossary::{Entries, Glossary};
use super::language::{Language, Script, script_of};

/// The costs of a term, of a term of a single character, and of characters outside of terms.
const TERM: u32 = 10;
const SHORT_TERM: u32 = 14;
const OTHER: u32 = 16;
/// Inflectional endings are written in hiragana.
const OTHER_HIRAGANA: u32 = 7;

/// A segment of a text.
#[derive(Debug)]
pub(super) enum Segment<'t> {
    /// A term.
    Word(&'t str, Entries<'static>),
    /// Characters outside of terms.
    Unknown(&'t str),
}

fn is_cjk(letter: char) -> bool {
    matches!(script_of(letter), Script::Han | Script::Kana | Script::Hangul)
}

fn is_hiragana(letter: char) -> bool {
    ('\u{3040}'..='\u{309F}').contains(&letter)
}

/// Splits a text into runs of Chinese, Japanese or Korean characters and other runs. Spaces inside of the former belong to them.
/// Punctuation of these scripts separates.
pub(super) fn runs(text: &str) -> Vec<(bool, &str)> {
    let mut runs: Vec<(bool, &str)> = Vec::new();
    let (mut start, mut current) = (0, None);
    for (at, letter) in text.char_indices() {
        let kind = if is_cjk(letter) {
            Some(true)
        } else if letter == ' ' && current == Some(true) {
            continue;
        } else if ('\u{3000}'..='\u{303F}').contains(&letter)
            || ('\u{FF00}'..='\u{FF0F}').contains(&letter)
            || matches!(letter, '？' | '！' | '：' | '；' | '“' | '”' | '·' | '…')
        {
            None
        } else {
            Some(false)
        };
        if kind != current {
            runs.extend(current.map(|kind| (kind, &text[start..at])));
            (start, current) = (at, kind);
        }
    }
    runs.extend(current.map(|kind| (kind, &text[start..])));
    runs
}

/// The cheapest way to a position.
#[derive(Clone, Copy)]
struct Step {
    cost: u32,
    begin: usize,
    entries: Option<Entries<'static>>,
}

/// The segments of a run.
pub(super) fn segment(run: &str, language: Language) -> Vec<Segment<'_>> {
    let letters: Vec<(usize, char)> = run.char_indices().collect();
    let offset = |at: usize| letters.get(at).map_or(run.len(), |letter| letter.0);
    let glossaries = glossaries(run, language);
    let longest = glossaries.iter().map(|(glossary, _)| glossary.longest).max().unwrap_or(0);
    let mut best = vec![Step { cost: u32::MAX, begin: 0, entries: None }; letters.len() + 1];
    best[0].cost = 0;
    for begin in 0..letters.len() {
        let so_far = best[begin].cost;
        let (_, letter) = letters[begin];
        let skip = so_far + skip_cost(letter);
        if skip < best[begin + 1].cost {
            best[begin + 1] = Step { cost: skip, begin, entries: None };
        }
        if letter == ' ' {
            continue;
        }
        for end in (begin + 1..=letters.len().min(begin + longest)).rev() {
            let word = &run[offset(begin)..offset(end)];
            let Some(entries) = glossaries.iter().find_map(|(glossary, text)| {
                let word = text.as_ref().map_or(word, |text| &text[offset(begin)..offset(end)]);
                glossary.find_exact(word)
            }) else {
                continue;
            };
            if end - begin == 1 && !is_allowed_alone(&letters, begin, language, entries) {
                continue;
            }
            let cost = so_far + if end - begin == 1 { SHORT_TERM } else { TERM };
            if cost < best[end].cost {
                best[end] = Step { cost, begin, entries: Some(entries) };
            }
        }
    }
    collect(run, &best, offset)
}

fn skip_cost(letter: char) -> u32 {
    match letter {
        // A final long vowel is often left out: `サーバー`, `サーバ`.
        ' ' | 'ー' => 0,
        letter if is_hiragana(letter) => OTHER_HIRAGANA,
        _ => OTHER,
    }
}

/// The glossaries that a run is looked up in, with the text to look up if it is not the run itself.
fn glossaries(run: &str, language: Language) -> Vec<(&'static Glossary, Option<String>)> {
    match language {
        // A Japanese heading without kana looks like Chinese.
        Language::Chinese => {
            let simplified = simplified(run);
            let is_same_length = simplified.len() == run.len();
            vec![
                (Glossary::of(Language::Chinese), is_same_length.then_some(simplified)),
                (Glossary::of(Language::Japanese), None),
            ]
        }
        language => vec![(Glossary::of(language), None)],
    }
}

/// Whether a term of a single character may begin here. Korean stems begin a word, and particles do not.
fn is_allowed_alone(letters: &[(usize, char)], at: usize, language: Language, entries: Entries<'_>) -> bool {
    let begins = at == 0 || letters[at - 1].1 == ' ';
    language != Language::Korean || begins != entries.is_function_word()
}

fn collect<'t>(run: &'t str, best: &[Step], offset: impl Fn(usize) -> usize) -> Vec<Segment<'t>> {
    let mut segments = Vec::new();
    let (mut end, mut unknown_end) = (best.len() - 1, None);
    let flush = |begin: usize, unknown_end: &mut Option<usize>, segments: &mut Vec<Segment<'t>>| {
        if let Some(end) = unknown_end.take() {
            let text = run[offset(begin)..offset(end)].trim();
            for word in text.split(' ').rev() {
                let word = word.trim_matches(|letter: char| is_hiragana(letter) || letter == 'ー');
                if word.chars().count() > 1 {
                    segments.push(Segment::Unknown(word));
                }
            }
        }
    };
    while end > 0 {
        let step = best[end];
        match step.entries {
            Some(entries) => {
                flush(end, &mut unknown_end, &mut segments);
                segments.push(Segment::Word(&run[offset(step.begin)..offset(end)], entries));
            }
            None => {
                unknown_end.get_or_insert(end);
            }
        }
        end = step.begin;
    }
    flush(0, &mut unknown_end, &mut segments);
    segments.reverse();
    segments
}

/// Traditional characters of the glossary, each followed by its simplified form.
const SIMPLIFIED: &str = "\
檔档錄录讀读寫写創创刪删檢检測测驗验證证處处異异錯错誤误連连線线網网絡络請请響响應应頭头體体態态會会話话緩缓衝冲區区隊队執执進进調调試试時时間间過过設设變变數数\
據据庫库類类對对實实現现繼继構构結结樹树節节點点圖图陣阵組组鍵键參参賦赋聲声義义編编譯译碼码壓压縮缩釋释載载輸输傳传發发訊讯訂订閱阅監监聽听觀观觸触鎖锁併并並并\
協协務务計计劃划啟启動动關关閉闭開开啓启斷断復复還还備备遷迁轉转換换將将與与內内從从來来這这個个們们為为嗎吗麼么裡里裏里帳账號号權权鑰钥認认簽签資资訪访問问許许\
瀏浏覽览頁页鏈链狀状標标籤签題题選选擇择項项單单雙双級级層层顯显隱隐視视頻频畫画繪绘顏颜樣样邊边滾滚複复製制貼贴導导語语詞词聯联係系歷历紀纪記记錶表誌志報报統统\
優优環环佈布遠远負负額额閾阈條条迴回遞递歸归決决終终產产業业該该誰谁當当則则後后術术際际適适";

/// A text with simplified characters. Every character takes as many bytes as before.
pub(super) fn simplified(text: &str) -> String {
    let table: Vec<char> = SIMPLIFIED.chars().collect();
    let of = |letter: char| {
        let pair = table.chunks_exact(2).find(|pair| pair[0] == letter);
        pair.map_or(letter, |pair| pair[1])
    };
    text.chars().map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn segments(text: &str, language: Language) -> Vec<String> {
        let shown = |segment: Segment<'_>| match segment {
            Segment::Word(word, entries) if entries.is_function_word() => format!("({word})"),
            Segment::Word(word, _) => word.to_owned(),
            Segment::Unknown(word) => format!("?{word}"),
        };
        runs(text)
            .into_iter()
            .filter(|run| run.0)
            .flat_map(|run| segment(run.1, language))
            .map(shown)
            .collect()
    }

    #[test]
    fn long_terms_win() {
        assert_eq!(
            segments("数据库连接池在哪里创建？", Language::Chinese),
            ["数据库", "连接池", "(在哪里)", "创建"]
        );
        assert_eq!(segments("資料庫連線", Language::Chinese).len(), 2, "traditional characters");
    }

    #[test]
    fn endings_and_particles_are_left_out() {
        assert_eq!(segments("設定ファイルを読み込む", Language::Japanese), ["設定ファイル", "読み込"]);
        assert_eq!(segments("サーバーに接続", Language::Japanese), ["サーバ", "接続"]);
        assert_eq!(segments("설정 파일을 읽는", Language::Korean), ["설정 파일", "(을)", "읽는"]);
    }

    #[test]
    fn unknown_characters_stay_together() {
        assert_eq!(segments("薛定谔的文件", Language::Chinese), ["?薛定谔", "(的)", "文件"]);
    }

    #[test]
    fn other_text_is_separated() {
        assert_eq!(runs("HttpClient在哪里，a b"), [(false, "HttpClient"), (true, "在哪里"), (false, "a b")]);
    }
}
