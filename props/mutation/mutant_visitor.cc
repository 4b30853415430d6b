#include "props/mutation/mutant_visitor.h"

#include <utility>

#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"

namespace lockstep::mutation {

MutantVisitor::Range MutantVisitor::RangeOf(clang::SourceRange range) const {
  const clang::SourceManager& sources = context_.getSourceManager();
  if (range.isInvalid() || range.getBegin().isMacroID() || range.getEnd().isMacroID()) return {};
  const clang::SourceLocation end =
      clang::Lexer::getLocForEndOfToken(range.getEnd(), 0, sources, context_.getLangOpts());
  if (end.isInvalid() || sources.getFileID(range.getBegin()) != sources.getFileID(end)) return {};
  const auto file = sources.getFilename(range.getBegin()).str();
  if (file.compare(0, root_.size(), root_) != 0 || done_.count(file) != 0) return {};
  return {file, sources.getFileOffset(range.getBegin()), sources.getFileOffset(end),
          sources.getSpellingLineNumber(range.getBegin())};
}

std::string MutantVisitor::Text(clang::SourceRange range) const {
  return clang::Lexer::getSourceText(clang::CharSourceRange::getTokenRange(range),
                                     context_.getSourceManager(), context_.getLangOpts())
      .str();
}

void MutantVisitor::Add(const Range& range, Form form, const char* kind, std::string original,
                        std::string replacement) {
  Site& site = sites_[range.file][{range.begin, range.end}];
  if (!site.mutants.empty() && site.form != form) return;
  for (const Mutant& mutant : site.mutants) {
    if (mutant.replacement == replacement) return;
  }
  site.form = form;
  site.mutants.push_back({.file = range.file,
                          .function = function_,
                          .kind = kind,
                          .original = std::move(original),
                          .replacement = std::move(replacement),
                          .line = range.line,
                          .offset = range.begin,
                          .length = range.end - range.begin});
}

void MutantVisitor::AddExpression(const clang::Expr* expr, const char* kind,
                                  std::string replacement) {
  const Range range = RangeOf(expr->getSourceRange());
  if (range) Add(range, Form::kExpression, kind, Text(expr), std::move(replacement));
}

bool MutantVisitor::TraverseDecl(clang::Decl* decl) {
  if (decl == nullptr) return true;
  const clang::SourceManager& sources = context_.getSourceManager();
  if (!llvm::isa<clang::TranslationUnitDecl>(decl)) {
    const auto file = sources.getFilename(sources.getExpansionLoc(decl->getLocation())).str();
    if (file.compare(0, root_.size(), root_) != 0) return true;
  }
  const auto* function = llvm::dyn_cast<clang::FunctionDecl>(decl);
  if (function == nullptr || !function->isThisDeclarationADefinition()) {
    return Base::TraverseDecl(decl);
  }
  if (function->isConsteval()) return true;  // what the compiler does holds no switch
  const std::string outer = std::exchange(function_, function->getQualifiedNameAsString());
  const clang::Stmt* const outer_last = last_of_function_;
  const auto* body = llvm::dyn_cast_or_null<clang::CompoundStmt>(function->getBody());
  last_of_function_ = body != nullptr && !body->body_empty() ? body->body_back() : nullptr;
  const bool go_on = Base::TraverseDecl(decl);
  function_ = outer;
  last_of_function_ = outer_last;
  return go_on;
}

bool MutantVisitor::TraverseVarDecl(clang::VarDecl* decl) {
  if (decl->isConstexpr() || (decl->hasGlobalStorage() && decl->getType().isConstQualified())) {
    return true;
  }
  return Base::TraverseVarDecl(decl);
}

bool MutantVisitor::TraverseFieldDecl(clang::FieldDecl* decl) {
  return decl->hasInClassInitializer() ? TraverseStmt(decl->getInClassInitializer()) : true;
}

bool MutantVisitor::Deletable(const clang::Stmt* stmt) const {
  if (llvm::isa<clang::BreakStmt>(stmt) || llvm::isa<clang::ContinueStmt>(stmt)) return true;
  if (llvm::isa<clang::ReturnStmt>(stmt)) return stmt != last_of_function_;
  const auto* expr = llvm::dyn_cast<clang::Expr>(stmt);
  return expr != nullptr && !llvm::isa<clang::LambdaExpr>(expr->IgnoreImplicit());
}

void MutantVisitor::AddDeletion(const clang::Stmt* stmt) {
  if (!Deletable(stmt)) return;
  const clang::SourceLocation semicolon = clang::Lexer::findLocationAfterToken(
      stmt->getEndLoc(), clang::tok::semi, context_.getSourceManager(), context_.getLangOpts(),
      /*SkipTrailingWhitespaceAndNewLine=*/false);
  Range range = RangeOf(stmt->getSourceRange());
  if (!range || semicolon.isInvalid()) return;
  range.end = context_.getSourceManager().getFileOffset(semicolon);
  Add(range, Form::kStatement, "statement deleted", Text(stmt) + ";", ";");
}

void MutantVisitor::AddEnd(const clang::CompoundStmt* body, clang::QualType returned) {
  if (body == nullptr || returned->isVoidType()) return;
  const Range brace = RangeOf({body->getRBracLoc(), body->getRBracLoc()});
  if (brace) sites_[brace.file][{brace.begin, brace.begin}].form = Form::kEnd;
}

bool MutantVisitor::VisitLambdaExpr(clang::LambdaExpr* lambda) {
  const clang::CXXMethodDecl* const call = lambda->getCallOperator();
  if (call != nullptr) AddEnd(lambda->getCompoundStmtBody(), call->getReturnType());
  return true;
}

bool MutantVisitor::VisitCompoundStmt(clang::CompoundStmt* stmt) {
  for (const clang::Stmt* child : stmt->body()) {
    if (!llvm::isa<clang::CaseStmt>(child)) AddDeletion(child);
  }
  return true;
}

}  // namespace lockstep::mutation
