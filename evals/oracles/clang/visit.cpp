#include "visit.h"

#include "clang/AST/ASTConsumer.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Index/USRGeneration.h"
#include "clang/Lex/Preprocessor.h"
#include "llvm/Support/Path.h"
#include "places.h"

using namespace clang;

namespace {

class Visitor : public RecursiveASTVisitor<Visitor> {
  using Base = RecursiveASTVisitor<Visitor>;

 public:
  Visitor(Places &places, Facts &facts, std::vector<Extent> &extents)
      : places(places), facts(facts), extents(extents) {}

  bool shouldVisitTemplateInstantiations() const { return true; }

  bool TraverseDecl(Decl *declaration) {
    if (!declaration) return true;
    auto *context = declaration->getLexicalDeclContext();
    if (context && context->isFileContext() && !isa<TranslationUnitDecl, LinkageSpecDecl, NamespaceDecl>(declaration) &&
        !places.inside(declaration->getLocation()))
      return true;
    size_t before = around.size();
    open(declaration);
    bool more = Base::TraverseDecl(declaration);
    around.resize(before);
    return more;
  }

  bool VisitFunctionDecl(FunctionDecl *function) {
    declare(function);
    return true;
  }

  bool VisitCallExpr(CallExpr *call) {
    Expr *called = call->getCallee()->IgnoreParenImpCasts();
    SourceLocation at = nameOf(called);
    const Decl *callee = call->getCalleeDecl();
    if (auto *function = dyn_cast_or_null<FunctionDecl>(callee)) {
      heads.insert(called);
      return callFunction(call, function, at);
    }
    if (auto *value = dyn_cast_or_null<ValueDecl>(callee)) {
      put(at, value, "value", true);
      note(at, value->getNameAsString(), value, &Site::value);
    } else {
      note(at, unresolvedName(called), nullptr, &Site::unknown);
    }
    return true;
  }

  bool VisitCXXConstructExpr(CXXConstructExpr *made) {
    auto *maker = made->getConstructor();
    if (made->isElidable() || maker->isCopyOrMoveConstructor()) return true;
    bool written = isa<CXXTemporaryObjectExpr>(made) || places.isNamed(made);
    const char *kind = written || wanted.count(made) ? "construct" : "implicit";
    SourceLocation at = made->getBeginLoc();
    put(at, maker, kind, false);
    if (written || wanted.count(made)) note(at, maker->getParent()->getNameAsString(), maker, &Site::inside);
    return true;
  }

  bool VisitVarDecl(VarDecl *variable) {
    if (!variable->hasInit()) return true;
    if (auto *made = dyn_cast<CXXConstructExpr>(variable->getInit()->IgnoreImplicit()))
      if (variable->getInitStyle() != VarDecl::CInit && made->getNumArgs() > 0) wanted.insert(made);
    return true;
  }

  bool VisitCXXNewExpr(CXXNewExpr *made) {
    if (auto *maker = made->getConstructExpr()) wanted.insert(const_cast<CXXConstructExpr *>(maker));
    return true;
  }

  bool VisitCXXFunctionalCastExpr(CXXFunctionalCastExpr *cast) {
    if (auto *maker = dyn_cast<CXXConstructExpr>(cast->getSubExpr()->IgnoreImplicit())) wanted.insert(maker);
    return true;
  }

  bool TraverseConstructorInitializer(CXXCtorInitializer *initializer) {
    if (initializer->isWritten() && (initializer->isBaseInitializer() || initializer->isDelegatingInitializer()))
      if (auto *made = dyn_cast<CXXConstructExpr>(initializer->getInit()->IgnoreImplicit())) wanted.insert(made);
    return Base::TraverseConstructorInitializer(initializer);
  }

  bool VisitDeclRefExpr(DeclRefExpr *reference) {
    if (auto *function = dyn_cast<FunctionDecl>(reference->getDecl()))
      if (!heads.count(reference)) put(reference->getLocation(), function, "ref", false);
    return true;
  }

 private:
  // Opens the symbol a declaration makes. A soft one lets the symbol around it count as the caller too.
  void open(Decl *declaration) {
    SourceLocation at = declaration->getLocation();
    if (auto *function = dyn_cast<FunctionDecl>(declaration)) {
      if (function->isImplicit() || isLambda(function)) return;
      push(function, at, false);
      if (function->doesThisDeclarationHaveABody())
        extents.push_back({places.range(function->getSourceRange()), caller()});
    } else if (auto *record = dyn_cast<CXXRecordDecl>(declaration)) {
      if (!record->isLambda() && !record->isInjectedClassName()) push(record, at, false);
    } else if (isa<FieldDecl>(declaration)) {
      push(cast<NamedDecl>(declaration), at, true);
    } else if (auto *variable = dyn_cast<VarDecl>(declaration)) {
      if (isa<ParmVarDecl>(variable)) return;
      bool held = variable->hasInit() && isa<LambdaExpr>(variable->getInit()->IgnoreImplicit());
      if (variable->isFileVarDecl() || held) push(variable, at, true);
      if (variable->isFileVarDecl()) extents.push_back({places.range(variable->getSourceRange()), caller()});
    }
  }

  void push(const NamedDecl *declaration, SourceLocation at, bool soft) {
    if (auto place = places.find(at, declaration->getNameAsString())) around.push_back({*place, soft});
  }

  Caller caller() const {
    Caller made;
    for (auto at = around.rbegin(); at != around.rend(); ++at) {
      if (at == around.rbegin())
        made.place = at->place;
      else if (at->place.line != made.place.line)
        made.also.push_back(at->place.line);
      if (!at->soft) return made;
    }
    if (made.place.line) made.also.push_back(0);
    return made;
  }

  bool callFunction(CallExpr *call, const FunctionDecl *function, SourceLocation at) {
    if (isLambda(function)) return true;
    bool dynamic = false;
    if (auto *member = dyn_cast<CXXMemberCallExpr>(call)) {
      auto *named = dyn_cast<MemberExpr>(member->getCallee()->IgnoreParens());
      auto *method = dyn_cast<CXXMethodDecl>(function);
      dynamic = method && method->isVirtual() && named && !named->hasQualifier();
    }
    const char *kind = "call";
    if (isa<CXXOperatorCallExpr>(call)) kind = "operator";
    else if (isa<CXXConversionDecl>(function)) kind = "implicit";
    put(at, function, kind, dynamic);
    note(at, function->getNameAsString(), function, &Site::inside);
    return true;
  }

  static bool isLambda(const FunctionDecl *function) {
    auto *method = dyn_cast<CXXMethodDecl>(function);
    return method && method->getParent()->isLambda();
  }

  static SourceLocation nameOf(const Expr *called) {
    if (auto *member = dyn_cast<MemberExpr>(called)) return member->getMemberLoc();
    if (auto *reference = dyn_cast<DeclRefExpr>(called)) return reference->getLocation();
    if (auto *lookup = dyn_cast<OverloadExpr>(called)) return lookup->getNameLoc();
    if (auto *member = dyn_cast<CXXDependentScopeMemberExpr>(called)) return member->getMemberLoc();
    if (auto *name = dyn_cast<DependentScopeDeclRefExpr>(called)) return name->getLocation();
    return called->getExprLoc();
  }

  static std::string unresolvedName(const Expr *called) {
    if (auto *lookup = dyn_cast<OverloadExpr>(called)) return lookup->getName().getAsString();
    if (auto *member = dyn_cast<CXXDependentScopeMemberExpr>(called)) return member->getMember().getAsString();
    if (auto *name = dyn_cast<DependentScopeDeclRefExpr>(called)) return name->getDeclName().getAsString();
    return "";
  }

  // The declaration as written: the pattern of an instantiation, the class of a constructor nobody wrote.
  static const NamedDecl *written(const NamedDecl *declaration) {
    if (auto *function = dyn_cast<FunctionDecl>(declaration)) {
      if (auto *pattern = function->getTemplateInstantiationPattern()) function = pattern;
      auto *maker = dyn_cast<CXXConstructorDecl>(function);
      if (auto *inherited = maker ? maker->getInheritedConstructor().getConstructor() : nullptr) return written(inherited);
      if (maker && maker->isImplicit()) return written(maker->getParent());
      return function;
    }
    if (auto *record = dyn_cast<CXXRecordDecl>(declaration))
      if (auto *pattern = record->getTemplateInstantiationPattern()) return pattern;
    return declaration;
  }

  // Notes where a declaration stands and gives its key; empty when it is of others.
  std::string declare(const NamedDecl *declaration) {
    const NamedDecl *at = written(declaration);
    if (isa<FunctionDecl>(at) && at->isImplicit()) return "";
    std::string key = places.key(at);
    if (key.empty()) return key;
    Function entry;
    for (auto *each : at->redecls()) {
      auto *named = cast<NamedDecl>(each);
      if (auto place = places.find(named->getLocation(), named->getNameAsString())) {
        auto *function = dyn_cast<FunctionDecl>(named);
        bool defines = function ? function->isThisDeclarationADefinition() : isDefinition(named);
        (defines ? entry.definitions : entry.declarations).insert(*place);
      }
    }
    if (auto *maker = dyn_cast<CXXConstructorDecl>(at))
      if (auto place = places.find(maker->getParent()->getLocation(), maker->getParent()->getNameAsString()))
        entry.related.insert(*place);
    if (entry.definitions.empty() && entry.declarations.empty()) return "";
    auto &known = facts.functions[key];
    known.definitions.insert(entry.definitions.begin(), entry.definitions.end());
    known.declarations.insert(entry.declarations.begin(), entry.declarations.end());
    known.related.insert(entry.related.begin(), entry.related.end());
    if (auto *method = dyn_cast<CXXMethodDecl>(at))
      for (auto *base : method->overridden_methods()) facts.overriders[places.key(written(base))].insert(key);
    return key;
  }

  static bool isDefinition(const NamedDecl *declaration) {
    if (auto *record = dyn_cast<TagDecl>(declaration)) return record->isThisDeclarationADefinition();
    if (auto *variable = dyn_cast<VarDecl>(declaration))
      return variable->isThisDeclarationADefinition() != VarDecl::DeclarationOnly;
    return true;
  }

  void put(SourceLocation at, const NamedDecl *callee, const char *kind, bool dynamic) {
    auto here = places.find(at, "");
    if (!here) return;
    std::string key = declare(callee);
    if (key.empty()) return;
    Caller from = caller();
    if (from.place.path != here->path) from = Caller{{here->path, 0, ""}, {}};
    facts.edges.insert({from, key, here->line, places.fromMacroBody(at) ? "macro" : kind, dynamic});
  }

  void note(SourceLocation at, const std::string &name, const NamedDecl *callee, bool Site::*status) {
    auto here = places.find(at, "");
    if (!here || places.fromMacroBody(at)) return;
    auto &site = facts.sites[{here->path, here->line, places.column(at)}];
    site.name = name;
    site.caller = caller().place.line;
    std::string key = callee ? declare(callee) : "";
    if (!key.empty()) site.callees.insert(key);
    if (key.empty() && callee && status == &Site::inside) status = &Site::external;
    site.*status = true;
  }

  struct Around {
    Place place;
    bool soft;
  };

  Places &places;
  Facts &facts;
  std::vector<Extent> &extents;
  std::vector<Around> around;
  std::set<const Expr *> heads, wanted;
};

class Consumer : public ASTConsumer {
 public:
  Consumer(CompilerInstance &compiler, Facts &facts, const std::string &root)
      : places(compiler.getSourceManager(), root), facts(facts) {
    compiler.getPreprocessor().addPPCallbacks(std::make_unique<Watcher>(places, facts, macros));
  }

  void HandleTranslationUnit(ASTContext &context) override {
    std::vector<Extent> extents;
    Visitor visitor(places, facts, extents);
    visitor.TraverseDecl(context.getTranslationUnitDecl());
    for (const auto &macro : macros) {
      std::string key = "macro " + macro.definition.path + ":" + std::to_string(macro.definition.line);
      facts.functions[key].definitions.insert(macro.definition);
      facts.edges.insert({callerAt(extents, macro.use), key, macro.use.line, "macro", false});
    }
  }

 private:
  static Caller callerAt(const std::vector<Extent> &extents, const Place &use) {
    const Extent *best = nullptr;
    for (const auto &extent : extents)
      if (extent.range.path == use.path && extent.range.first <= use.line && use.line <= extent.range.last)
        if (!best || extent.range.last - extent.range.first <= best->range.last - best->range.first) best = &extent;
    return best ? best->caller : Caller{{use.path, 0, ""}, {}};
  }

  Places places;
  Facts &facts;
  std::vector<Expansion> macros;
};

}  // namespace

std::unique_ptr<ASTConsumer> watch(CompilerInstance &compiler, Facts &facts, const std::string &root) {
  return std::make_unique<Consumer>(compiler, facts, root);
}
