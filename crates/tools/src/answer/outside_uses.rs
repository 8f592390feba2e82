//! Why something that nothing here names may be used all the same: what a library, a framework, a runtime or another part of the program can
//! reach without its name.

use super::{Cause, Doubt};
use crate::error::ToolError;
use crate::graph::name_occurrences::takes_value;
use orient_engine::{Definition, Lookup, NodeId, Snapshot};
use orient_model::{EdgeKind, Handle, Modifier, SymbolKind, Visibility};

/// Maximum number of types that are looked at for a member of a base.
const MAX_BASES: usize = 32;

/// Maximum number of values of an enumeration whose unresolved uses are looked for.
const MAX_VALUES: usize = 32;

/// The reason why a symbol without uses may have some, if there is one.
pub(super) fn doubt_about_outside(
    snapshot: &Snapshot,
    definition: &Definition,
) -> Result<Option<Doubt>, ToolError> {
    let why = match by_its_declaration(snapshot, definition)? {
        Some(why) => why,
        None => match by_its_type(snapshot, definition)? {
            Some(why) => why,
            None => match by_its_namesake(snapshot, definition)? {
                Some(why) => why,
                None => return Ok(None),
            },
        },
    };
    Ok(Some(Doubt::new(Cause::CalledFromOutside, 1, why)))
}

/// What the symbol itself says: its name, its bases, its annotations, its place.
fn by_its_declaration(snapshot: &Snapshot, definition: &Definition) -> Result<Option<String>, ToolError> {
    let node = definition.id.into();
    let why = if let Some(why) = definition.runtime_use() {
        format!("it may be used by its name, {why}")
    } else if let Some(base) = used_base(snapshot, definition)? {
        format!("it is what uses of `{base}` may reach")
    } else if !definition.attributes.is_empty() {
        "what its annotations mean is not known: a framework may use it".to_owned()
    } else if definition.visibility != Visibility::Private && snapshot.graph().has_external_base(node)? {
        if definition.kind.is_type() {
            "it has a base outside of the repository: what knows the base may find it".to_owned()
        } else {
            "its type has a base outside of the repository, which may use it".to_owned()
        }
    } else if definition.modifiers.contains(Modifier::Override) {
        "it overrides a member of a base, by which it may be called".to_owned()
    } else if snapshot.graph().is_object_member(node)? {
        "it is a member of an object: what gets the object may call it".to_owned()
    } else if is_value(snapshot, definition)? {
        "it is a value where it is defined: what gets the value may call it".to_owned()
    } else if definition.shown_kind() == SymbolKind::Component {
        "a router or a framework may load it by its file".to_owned()
    } else if is_torn_out(snapshot, definition)? {
        "the parser did not understand what it is in".to_owned()
    } else {
        return Ok(None);
    };
    Ok(Some(why))
}

/// What its type or its members say.
fn by_its_type(snapshot: &Snapshot, definition: &Definition) -> Result<Option<String>, ToolError> {
    if definition.kind.is_type() {
        if let Some(alias) = alias_around(snapshot, definition)? {
            return Ok(Some(format!("it is named `{alias}`, too, which is used")));
        }
        let why = "its members are used, which need not name it";
        return Ok(has_used_member(snapshot, definition)?.then(|| why.to_owned()));
    }
    let Some(container) = snapshot.graph().container(definition.id.into())? else { return Ok(None) };
    let Some(of) = snapshot.graph().describe(container)?.definition else { return Ok(None) };
    if let Some(base) = used_member_of_base(snapshot, definition, container)? {
        return Ok(Some(format!("it hides `{base}`: a use of that may mean it")));
    }
    let is_data = matches!(definition.kind, SymbolKind::Field | SymbolKind::Property);
    let is_used_type = is_used(snapshot, container)?;
    let why = if definition.kind == SymbolKind::Constructor && is_used_type {
        "its type is used, and something outside may construct it"
    } else if definition.kind == SymbolKind::EnumMember && is_used_type {
        "its enumeration is used: the value may come from a number, a text or the list of all values"
    } else if is_data && is_embedded(definition, &of) {
        "its members are members of what contains it"
    } else if is_data && !of.attributes.is_empty() {
        "what the annotations of its type mean is not known: the layout or a serialiser may need it"
    } else if is_data && is_used_type && !is_constructed(snapshot, &of)? {
        "nothing here constructs its type: values come from elsewhere, or are given by position"
    } else if adds_to_module(snapshot, container)? {
        "it is added to a module that is defined elsewhere and may use it"
    } else {
        return Ok(None);
    };
    Ok(Some(why.to_owned()))
}

/// Another definition of the same name that may be the same thing, and that is used: a declaration whose definition has other words in its
/// handle, or the stub of a module beside it.
fn by_its_namesake(snapshot: &Snapshot, definition: &Definition) -> Result<Option<String>, ToolError> {
    let name = definition.name.as_str();
    let mut found = snapshot.symbol(&Handle::join([name]))?;
    if let (Lookup::Many { candidates, total }, [.., around, _]) =
        (&found, words_of_handle(definition).as_slice())
        && candidates.len() < *total
    {
        found = snapshot.symbol(&Handle::join([around.as_str(), name]))?;
    }
    let candidates = match found {
        Lookup::Many { candidates, .. } => candidates,
        _ => Vec::new(),
    };
    for other in candidates.iter().filter(|other| may_be_same(definition, other)) {
        // What a definition outside of its class overrides, only its declaration says.
        let is_doubtful = is_used(snapshot, other.id.into())?
            || by_its_declaration(snapshot, other)?.is_some()
            || by_its_type(snapshot, other)?.is_some();
        if is_doubtful {
            return Ok(Some(format!("it may be what `{}` declares, which may be used", other.handle)));
        }
    }
    if definition.is_structurally_typed()
        && let Some(why) = by_its_shape(snapshot, definition, &candidates)?
    {
        return Ok(Some(why));
    }
    for other in &candidates {
        if holds(snapshot, definition, other)? {
            return Ok(Some(format!("it holds `{}`: uses of its name count as uses of that", other.handle)));
        }
    }
    Ok(None)
}

/// Whether something may use a member through a type that its own type need not name: an interface of a library, if several types have the
/// member or its documentation says that it implements something, or a used member of an interface here.
fn by_its_shape(
    snapshot: &Snapshot,
    definition: &Definition,
    candidates: &[Definition],
) -> Result<Option<String>, ToolError> {
    let is_contract =
        |kind| matches!(kind, SymbolKind::Interface | SymbolKind::TypeAlias | SymbolKind::Trait);
    let kind_of = |node| -> Result<Option<SymbolKind>, ToolError> {
        let Some(container) = snapshot.graph().container(node)? else { return Ok(None) };
        Ok(snapshot.graph().describe(container)?.definition.map(|one| one.kind))
    };
    if definition.visibility == Visibility::Private || kind_of(definition.id.into())?.is_some_and(is_contract)
    {
        return Ok(None);
    }
    let types = |one: &Definition| -> Vec<Option<String>> {
        one.params.iter().map(|param| param.ty.clone()).collect()
    };
    let names_contract = |doc: &String| doc.contains("mplements ") || doc.contains("atisfies ");
    let is_method = definition.kind == SymbolKind::Method && definition.has_implicit_interfaces();
    if is_method && definition.doc.as_ref().is_some_and(names_contract) {
        return Ok(Some("its documentation says that it implements something".to_owned()));
    }
    for other in candidates.iter().filter(|other| other.id != definition.id) {
        let of_contract = kind_of(other.id.into())?.is_some_and(is_contract);
        if of_contract && is_used(snapshot, other.id.into())? {
            return Ok(Some(format!("its type may be used as one with `{}`, which is used", other.handle)));
        }
        let is_twin = other.kind == SymbolKind::Method && types(other) == types(definition);
        if is_method && is_twin && !of_contract {
            return Ok(Some(format!(
                "an interface outside may ask for it, as `{}` has it, too",
                other.handle
            )));
        }
    }
    Ok(None)
}

/// Whether a variable is another name for a definition of its name: `var read = files.read`.
fn holds(snapshot: &Snapshot, variable: &Definition, other: &Definition) -> Result<bool, ToolError> {
    let is_variable =
        matches!(variable.kind, SymbolKind::Variable | SymbolKind::Constant | SymbolKind::Field);
    let value = variable.signature.split_once('=').map(|(_, value)| value.trim_end_matches(';').trim_end());
    let is_alias = value.is_some_and(|value| value.ends_with(variable.name.as_str()));
    if !is_variable || !is_alias || other.id == variable.id {
        return Ok(false);
    }
    let lines = variable.span.first_line..=variable.span.last_line;
    for edge in snapshot.incoming(other.id.into())?.iter().filter(|edge| lines.contains(&edge.line)) {
        if snapshot.graph().file_of(edge.source)?.path == variable.path {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether two definitions of a name may be one thing: one declares what the other defines, or their files are a module and its stub.
fn may_be_same(definition: &Definition, other: &Definition) -> bool {
    if definition.id == other.id {
        return false;
    }
    let is_declaration = |one: &Definition| one.modifiers.contains(Modifier::Declaration);
    let (ours, theirs) = (words_of_handle(definition), words_of_handle(other));
    let (shorter, longer) = if ours.len() < theirs.len() { (&ours, &theirs) } else { (&theirs, &ours) };
    let declares = is_declaration(definition) != is_declaration(other)
        && definition.params.len() == other.params.len()
        && longer.ends_with(shorter);
    let stem = |one: &Definition| {
        let path = one.path.display();
        path.rsplit_once('.').map_or(path.to_string(), |(stem, _)| stem.to_owned())
    };
    let file_stem = |one: &Definition| stem(one).rsplit('/').next().unwrap_or_default().to_owned();
    // Of files of one name, the build chooses one: `linux/platform.c`, `darwin/platform.h`.
    let is_chosen = definition.is_alternative_in_build(other) && file_stem(definition) == file_stem(other);
    let is_beside = stem(definition) == stem(other) || is_chosen;
    declares || definition.path != other.path && ours == theirs && is_beside
}

/// The names in a handle. One part may join what encloses a definition: `Outer::Inner.run` beside `Outer.Inner.run`.
fn words_of_handle(definition: &Definition) -> Vec<String> {
    let words = definition.handle.names.iter().flat_map(|part| part.split(|c: char| !is_word(c)));
    words.filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The name of something that a definition overrides, implements or extends, and that is used.
fn used_base(snapshot: &Snapshot, definition: &Definition) -> Result<Option<String>, ToolError> {
    for edge in snapshot.outgoing(definition.id.into())? {
        let is_used_base = match edge.kind {
            EdgeKind::Overrides | EdgeKind::Implements => is_used(snapshot, edge.target)?,
            // Code may ask for all types with a base.
            EdgeKind::Inherits if definition.kind.is_type() => {
                let incoming = snapshot.incoming(edge.target)?;
                incoming.iter().any(|edge| !matches!(edge.kind, EdgeKind::Inherits | EdgeKind::Imports))
            }
            _ => false,
        };
        if is_used_base {
            return Ok(Some(snapshot.graph().describe(edge.target)?.qualified()));
        }
    }
    Ok(None)
}

/// A used member of the same name in a base of the type: `cls.limit` in a base reads the `limit` of each subclass.
fn used_member_of_base(
    snapshot: &Snapshot,
    definition: &Definition,
    container: NodeId,
) -> Result<Option<String>, ToolError> {
    let graph = snapshot.graph();
    let mut types = vec![container];
    let mut next = 0;
    while let Some(&of) = types.get(next).filter(|_| next < MAX_BASES) {
        next += 1;
        for edge in snapshot.outgoing(of)? {
            let is_base = matches!(edge.kind, EdgeKind::Inherits | EdgeKind::Implements);
            if !is_base || types.contains(&edge.target) {
                continue;
            }
            types.push(edge.target);
            for member in graph.members(edge.target)? {
                let is_own = graph.container(member)? == Some(edge.target);
                if is_own && graph.name(member)? == definition.name && is_used(snapshot, member)? {
                    return Ok(Some(graph.describe(member)?.qualified()));
                }
            }
        }
    }
    Ok(None)
}

/// Whether something uses a symbol, other than by overriding it.
fn is_used(snapshot: &Snapshot, node: NodeId) -> Result<bool, ToolError> {
    let overriding = |kind| matches!(kind, EdgeKind::Overrides | EdgeKind::Implements);
    Ok(snapshot.incoming(node)?.iter().any(|edge| !overriding(edge.kind)))
}

/// Whether something outside of a type uses a member of it, or may use a value of it if it is an enumeration.
fn has_used_member(snapshot: &Snapshot, definition: &Definition) -> Result<bool, ToolError> {
    let graph = snapshot.graph();
    let members = graph.members(definition.id.into())?;
    for &member in members.iter().skip(1) {
        if snapshot.incoming(member)?.iter().any(|edge| !members.contains(&edge.source)) {
            return Ok(true);
        }
    }
    if definition.kind == SymbolKind::Enum {
        for &member in members.iter().skip(1).take(MAX_VALUES) {
            if !graph.unresolved_uses(&graph.name(member)?)?.uses.is_empty() {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// A used name that the declaration of a type gives it besides: `typedef struct list_ { … } list;`.
fn alias_around(snapshot: &Snapshot, definition: &Definition) -> Result<Option<String>, ToolError> {
    let Some(file) = snapshot.file(&definition.path)? else { return Ok(None) };
    for node in snapshot.graph().members(file.id.into())? {
        let Some(other) = snapshot.graph().describe(node)?.definition else { continue };
        let is_around = other.span.start <= definition.span.start && other.span.end >= definition.span.end;
        if is_around && other.kind == SymbolKind::TypeAlias && is_used(snapshot, node)? {
            return Ok(Some(other.name));
        }
    }
    Ok(None)
}

/// Whether something here makes values of a type by its name.
fn is_constructed(snapshot: &Snapshot, ty: &Definition) -> Result<bool, ToolError> {
    if !matches!(ty.kind, SymbolKind::Class | SymbolKind::Struct) {
        return Ok(true);
    }
    for node in snapshot.graph().members(ty.id.into())? {
        let is_maker = node == ty.id.into()
            || snapshot
                .graph()
                .describe(node)?
                .definition
                .is_some_and(|one| one.kind == SymbolKind::Constructor);
        if is_maker && snapshot.incoming(node)?.iter().any(|edge| edge.kind == EdgeKind::Constructs) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether a field embeds its type: the type that contains it has a base of this name.
fn is_embedded(definition: &Definition, of: &Definition) -> bool {
    let last = |base: &str| base.rsplit(|c| !is_word(c)).next() == Some(definition.name.as_str());
    definition.kind == SymbolKind::Field && of.bases.iter().any(|(_, base)| last(base))
}

/// Whether a symbol or what contains it is in a module that is named by a string, as that of another package.
fn adds_to_module(snapshot: &Snapshot, container: NodeId) -> Result<bool, ToolError> {
    let mut around = Some(container);
    while let Some(node) = around {
        let Some(one) = snapshot.graph().describe(node)?.definition else { return Ok(false) };
        if one.kind == SymbolKind::Module && one.signature.contains(['"', '\'']) {
            return Ok(true);
        }
        around = snapshot.graph().container(node)?;
    }
    Ok(false)
}

/// Whether it was in something that the parser did not understand: nothing contains it, and yet it is indented.
fn is_torn_out(snapshot: &Snapshot, definition: &Definition) -> Result<bool, ToolError> {
    if definition.depth > 0 {
        return Ok(false);
    }
    let file = snapshot.file(&definition.path)?;
    let mut is_indented = false;
    if file.as_ref().is_some_and(|file| file.issues > 0) {
        snapshot.each_text(file.as_ref(), |_, text| {
            let before = text.get(..definition.span.start as usize).unwrap_or_default();
            let line = before.rsplit('\n').next().unwrap_or_default();
            is_indented = !line.is_empty() && line.trim().is_empty();
        })?;
    }
    Ok(is_indented)
}

/// Whether a function or class is a value where it is defined: it is called there, returned, assigned or passed on.
fn is_value(snapshot: &Snapshot, definition: &Definition) -> Result<bool, ToolError> {
    if !matches!(definition.kind, SymbolKind::Function | SymbolKind::Class) {
        return Ok(false);
    }
    let file = snapshot.file(&definition.path)?;
    let mut is_value = false;
    snapshot.each_text(file.as_ref(), |_, text| {
        let before = text.get(..definition.span.start as usize).unwrap_or_default();
        is_value = takes_value(before.trim_end());
    })?;
    Ok(is_value)
}
