// Writes the call edges of a C or C++ project as clang sees them.
//
//   oracle ROOT BUILD/compile_commands.json OUT.jsonl RESOURCE_DIR [AS]
//
// Every translation unit of the database is parsed, template instantiations included; no code is generated.
// RESOURCE_DIR is what `clang -print-resource-dir` prints. AS names another root in the scope file.
#include <cstdlib>
#include <iostream>

#include "clang/Frontend/FrontendActions.h"
#include "clang/Tooling/JSONCompilationDatabase.h"
#include "clang/Tooling/Tooling.h"
#include "visit.h"

namespace {

class Action : public clang::ASTFrontendAction {
 public:
  Action(Facts &facts, const std::string &root) : facts(facts), root(root) {}

  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance &compiler, llvm::StringRef) override {
    return watch(compiler, facts, root);
  }

 private:
  Facts &facts;
  const std::string &root;
};

class Factory : public clang::tooling::FrontendActionFactory {
 public:
  Factory(Facts &facts, const std::string &root) : facts(facts), root(root) {}
  std::unique_ptr<clang::FrontendAction> create() override { return std::make_unique<Action>(facts, root); }

 private:
  Facts &facts;
  const std::string &root;
};

}  // namespace

int main(int argc, char **argv) {
  if (argc < 5) {
    std::cerr << "usage: oracle ROOT compile_commands.json OUT.jsonl RESOURCE_DIR [AS]\n";
    return 1;
  }
  char *real = realpath(argv[1], nullptr);
  if (!real) {
    std::cerr << argv[1] << " is no folder\n";
    return 1;
  }
  std::string root = real, fault;
  auto commands = clang::tooling::JSONCompilationDatabase::loadFromFile(
      argv[2], fault, clang::tooling::JSONCommandLineSyntax::AutoDetect);
  if (!commands) {
    std::cerr << fault << '\n';
    return 1;
  }
  Facts facts;
  Factory factory(facts, root);
  auto flags = clang::tooling::getInsertArgumentAdjuster({"-resource-dir", argv[4], "-w", "-Wno-error"},
                                                         clang::tooling::ArgumentInsertPosition::END);
  int faults = 0;
  // A tool of its own for each file: one that is shared remembers files by paths relative to another folder.
  for (const auto &file : commands->getAllFiles()) {
    clang::tooling::ClangTool tool(*commands, {file});
    tool.appendArgumentsAdjuster(flags);
    faults += tool.run(&factory) != 0;
  }
  if (faults) std::cerr << faults << " files did not compile: their edges may be incomplete\n";
  write(facts, argc > 5 ? argv[5] : root, argv[3]);
  return 0;
}
