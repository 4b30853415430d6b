// Walks clang's syntax tree and finds every place where a small change can be made.

#ifndef LOCKSTEP_PROPS_MUTATION_MUTANT_VISITOR_H_
#define LOCKSTEP_PROPS_MUTATION_MUTANT_VISITOR_H_

#include <map>
#include <set>
#include <string>

#include "clang/AST/ASTContext.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "props/mutation/mutants.h"

namespace lockstep::mutation {

// What is constant for the compiler (template arguments, array bounds, case labels, constexpr
// variables, static_assert) is left out: a constant is changed where it is used.
class MutantVisitor : public clang::RecursiveASTVisitor<MutantVisitor> {
 public:
  using Base = clang::RecursiveASTVisitor<MutantVisitor>;

  // Only files whose path begins with `root` are looked at, and none in `done`.
  MutantVisitor(clang::ASTContext& context, std::string root, const std::set<std::string>& done)
      : context_(context), root_(std::move(root)), done_(done) {}

  // By file.
  std::map<std::string, Sites>& sites() { return sites_; }

  bool TraverseDecl(clang::Decl* decl);
  bool TraverseTypeLoc(clang::TypeLoc) { return true; }
  bool TraverseTemplateArgumentLoc(const clang::TemplateArgumentLoc&) { return true; }
  bool TraverseStaticAssertDecl(clang::StaticAssertDecl*) { return true; }
  bool TraverseEnumDecl(clang::EnumDecl*) { return true; }
  bool TraverseConstantExpr(clang::ConstantExpr*) { return true; }
  bool TraverseParmVarDecl(clang::ParmVarDecl*) { return true; }
  bool TraverseUnaryExprOrTypeTraitExpr(clang::UnaryExprOrTypeTraitExpr*) { return true; }
  bool TraverseVarDecl(clang::VarDecl* decl);
  bool TraverseFieldDecl(clang::FieldDecl* decl);
  bool TraverseCaseStmt(clang::CaseStmt* stmt) { return TraverseStmt(stmt->getSubStmt()); }
  bool TraverseIfStmt(clang::IfStmt* stmt);

  bool VisitFunctionDecl(clang::FunctionDecl* decl);
  bool VisitLambdaExpr(clang::LambdaExpr* lambda);
  bool VisitBinaryOperator(clang::BinaryOperator* op);
  bool VisitUnaryOperator(clang::UnaryOperator* op);
  bool VisitIntegerLiteral(clang::IntegerLiteral* literal);
  bool VisitCXXBoolLiteralExpr(clang::CXXBoolLiteralExpr* literal);
  bool VisitDeclRefExpr(clang::DeclRefExpr* ref);
  bool VisitCallExpr(clang::CallExpr* call);
  bool VisitConditionalOperator(clang::ConditionalOperator* op);
  bool VisitForStmt(clang::ForStmt* stmt);
  bool VisitWhileStmt(clang::WhileStmt* stmt);
  bool VisitCompoundStmt(clang::CompoundStmt* stmt);

 private:
  struct Range {
    std::string file;
    unsigned begin = 0, end = 0;
    unsigned line = 0;
    explicit operator bool() const { return end > begin; }
  };

  Range RangeOf(clang::SourceRange range) const;
  std::string Text(clang::SourceRange range) const;
  std::string Text(const clang::Stmt* stmt) const { return Text(stmt->getSourceRange()); }
  // A part of the file, in parentheses where it needs them.
  std::string Operand(const clang::Expr* expr) const { return "(" + Text(expr) + ")"; }

  void AddExpression(const clang::Expr* expr, const char* kind, std::string replacement);
  void Add(const Range& range, Form form, const char* kind, std::string original,
           std::string replacement);
  void AddCondition(const clang::Expr* condition, bool may_be_true);
  void AddConstant(const clang::Expr* expr, bool is_zero);
  void AddSwappedArguments(const clang::CallExpr* call);
  void AddDeletion(const clang::Stmt* stmt);
  void AddEnd(const clang::CompoundStmt* body, clang::QualType returned);
  bool Deletable(const clang::Stmt* stmt) const;

  clang::ASTContext& context_;
  std::string root_;
  const std::set<std::string>& done_;
  std::map<std::string, Sites> sites_;
  std::string function_;
  const clang::Stmt* last_of_function_ = nullptr;
};

}  // namespace lockstep::mutation

#endif  // LOCKSTEP_PROPS_MUTATION_MUTANT_VISITOR_H_
