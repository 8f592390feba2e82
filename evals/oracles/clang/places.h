// From source locations to lines of files under the root; what the preprocessor does there.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/PPCallbacks.h"
#include "facts.h"

struct Range {
  std::string path;
  unsigned first = 0, last = 0;
};

// The lines of a symbol that can be a caller.
struct Extent {
  Range range;
  Caller caller;
};

struct Expansion {
  Place use, definition;
};

class Places {
 public:
  Places(clang::SourceManager &sources, const std::string &root) : sources(sources), root(root) {}

  // The place of a location; a macro's body counts where the macro is used.
  std::optional<Place> find(clang::SourceLocation at, const std::string &name);
  bool inside(clang::SourceLocation at) { return find(at, "").has_value(); }
  unsigned column(clang::SourceLocation at) { return sources.getPresumedColumnNumber(fileLocation(at)); }
  Range range(clang::SourceRange range);
  // Whether the token at a location is not in the text there but comes out of a macro.
  bool fromMacroBody(clang::SourceLocation at) const {
    return at.isMacroID() && sources.getSpellingLoc(at) != sources.getFileLoc(at);
  }
  // Whether the text at a construction starts with the name of the class.
  bool isNamed(const clang::CXXConstructExpr *made);
  // A name for a declaration that is the same in every translation unit; empty for others' code.
  std::string key(const clang::NamedDecl *declaration);
  std::optional<std::string> path(clang::FileID file);

 private:
  clang::SourceLocation fileLocation(clang::SourceLocation at) { return sources.getFileLoc(at); }

  clang::SourceManager &sources;
  const std::string &root;
  std::map<unsigned, std::optional<std::string>> known;
};

// Notes which files are read, which lines are left out, and which macros are used where.
class Watcher : public clang::PPCallbacks {
 public:
  Watcher(Places &places, Facts &facts, std::vector<Expansion> &macros) : places(places), facts(facts), macros(macros) {}

  void LexedFileChanged(clang::FileID file, LexedFileChangeReason reason, clang::SrcMgr::CharacteristicKind,
                        clang::FileID, clang::SourceLocation) override;
  void SourceRangeSkipped(clang::SourceRange range, clang::SourceLocation) override;
  void MacroExpands(const clang::Token &name, const clang::MacroDefinition &macro, clang::SourceRange range,
                    const clang::MacroArgs *) override;

 private:
  Places &places;
  Facts &facts;
  std::vector<Expansion> &macros;
};
