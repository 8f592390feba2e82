//! Size budgets: lines per file, lines per function, methods per trait.

use super::Repository;
use crate::report::Findings;

/// Checks the production code of every Rust file.
pub(super) fn check(repository: &Repository, findings: &mut Findings) {
    let budgets = &repository.policy.budgets;
    for source in repository.sources.iter().filter(|source| !source.is_test) {
        let path = &source.path;
        let is_exempt = repository.policy.long.iter().any(|exempt| exempt.file == *path);
        if !is_exempt {
            let lines = source.lines;
            let text = |limit| format!("{lines} lines of production code, over {limit}");
            if lines > budgets.file_fail {
                findings.fail(path, 0, text(budgets.file_fail));
            } else if lines > budgets.file_warn {
                findings.warn(path, 0, text(budgets.file_warn));
            }
        }
        for function in source.functions.iter().filter(|_| !is_exempt) {
            let text = |limit| format!("`{}` has {} lines, over {limit}", function.name, function.size);
            if function.size > budgets.function_fail {
                findings.fail(path, function.line, text(budgets.function_fail));
            } else if function.size > budgets.function_warn {
                findings.warn(path, function.line, text(budgets.function_warn));
            }
        }
        for it in source.traits.iter().filter(|it| it.size > budgets.trait_methods) {
            let text = format!("trait `{}` has {} methods, over {}", it.name, it.size, budgets.trait_methods);
            findings.fail(path, it.line, text);
        }
    }
    for exempt in &repository.policy.long {
        if !repository.sources.iter().any(|source| source.path == exempt.file) {
            findings.fail(
                "xtask/tidy.toml",
                0,
                format!("{} is exempt ({}) but does not exist", exempt.file, exempt.reason),
            );
        }
    }
}
