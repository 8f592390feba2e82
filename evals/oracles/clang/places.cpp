#include "places.h"

#include <cstdlib>

#include "clang/Index/USRGeneration.h"
#include "clang/Lex/Lexer.h"
#include "clang/Lex/MacroInfo.h"
#include "llvm/ADT/SmallString.h"

using namespace clang;

std::optional<std::string> Places::path(FileID file) {
  auto at = known.find(file.getHashValue());
  if (at != known.end()) return at->second;
  std::optional<std::string> found;
  if (auto entry = sources.getFileEntryRefForID(file)) {
    auto name = entry->getFileEntry().tryGetRealPathName();
    std::string full = name.empty() ? entry->getName().str() : name.str();
    if (char *real = realpath(full.c_str(), nullptr)) {
      full = real;
      std::free(real);
    }
    if (full.size() > root.size() + 1 && full.compare(0, root.size(), root) == 0 && full[root.size()] == '/')
      found = full.substr(root.size() + 1);
  }
  known[file.getHashValue()] = found;
  return found;
}

std::optional<Place> Places::find(SourceLocation at, const std::string &name) {
  if (at.isInvalid()) return std::nullopt;
  SourceLocation spelled = fileLocation(at);
  auto [file, offset] = sources.getDecomposedLoc(spelled);
  auto where = path(file);
  if (!where) return std::nullopt;
  return Place{*where, sources.getLineNumber(file, offset), name};
}

Range Places::range(SourceRange range) {
  auto first = find(range.getBegin(), ""), last = find(range.getEnd(), "");
  if (!first || !last || first->path != last->path) return {};
  return {first->path, first->line, last->line};
}

bool Places::isNamed(const CXXConstructExpr *made) {
  if (made->getParenOrBraceRange().isInvalid() || made->getNumArgs() == 0) return false;
  Token token;
  SourceLocation at = fileLocation(made->getBeginLoc());
  if (Lexer::getRawToken(at, token, sources, LangOptions(), true)) return false;
  return token.is(tok::raw_identifier) && token.getRawIdentifier() == made->getConstructor()->getParent()->getName();
}

std::string Places::key(const NamedDecl *declaration) {
  llvm::SmallString<128> usr;
  if (index::generateUSRForDecl(declaration, usr)) return "";
  return usr.str().str();
}

void Watcher::LexedFileChanged(FileID file, LexedFileChangeReason reason, SrcMgr::CharacteristicKind, FileID,
                               SourceLocation) {
  if (reason != LexedFileChangeReason::EnterFile) return;
  if (auto path = places.path(file)) ++facts.entered[*path];
}

void Watcher::SourceRangeSkipped(SourceRange range, SourceLocation) {
  Range lines = places.range(range);
  for (unsigned line = lines.first + 1; line < lines.last; ++line) ++facts.skipped[lines.path][line];
}

void Watcher::MacroExpands(const Token &name, const MacroDefinition &macro, SourceRange range, const MacroArgs *) {
  auto *info = macro.getMacroInfo();
  if (!info || !info->isFunctionLike() || info->isBuiltinMacro()) return;
  if (name.getLocation().isMacroID()) return;
  std::string word = name.getIdentifierInfo()->getName().str();
  auto use = places.find(name.getLocation(), "");
  auto definition = places.find(info->getDefinitionLoc(), word);
  if (use && definition) macros.push_back({*use, *definition});
}
