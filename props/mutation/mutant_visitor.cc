#include "props/mutation/mutant_visitor.h"

#include <utility>
#include <vector>

#include "clang/AST/ExprCXX.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"

namespace lockstep::mutation {
namespace {

using clang::BinaryOperatorKind;

struct Swap {
  BinaryOperatorKind from;
  const char* kind;
  std::vector<const char*> to;
};

// Operators and what each is changed into.
const std::vector<Swap>& Swaps() {
  static const std::vector<Swap> swaps = {{clang::BO_LT, "comparison", {"<=", ">="}},
                                          {clang::BO_LE, "comparison", {"<", ">"}},
                                          {clang::BO_GT, "comparison", {">=", "<="}},
                                          {clang::BO_GE, "comparison", {">", "<"}},
                                          {clang::BO_EQ, "comparison", {"!="}},
                                          {clang::BO_NE, "comparison", {"=="}},
                                          {clang::BO_Add, "arithmetic", {"-"}},
                                          {clang::BO_Sub, "arithmetic", {"+"}},
                                          {clang::BO_Mul, "arithmetic", {"+"}},
                                          {clang::BO_Div, "arithmetic", {"*"}},
                                          {clang::BO_Rem, "arithmetic", {"/"}},
                                          {clang::BO_AddAssign, "arithmetic", {"-=", "="}},
                                          {clang::BO_SubAssign, "arithmetic", {"+=", "="}},
                                          {clang::BO_MulAssign, "arithmetic", {"+="}},
                                          {clang::BO_DivAssign, "arithmetic", {"*="}},
                                          {clang::BO_RemAssign, "arithmetic", {"/="}},
                                          {clang::BO_Shl, "shift", {">>"}},
                                          {clang::BO_Shr, "shift", {"<<"}},
                                          {clang::BO_ShlAssign, "shift", {">>="}},
                                          {clang::BO_ShrAssign, "shift", {"<<="}},
                                          {clang::BO_And, "bitwise", {"|"}},
                                          {clang::BO_Or, "bitwise", {"&", "^"}},
                                          {clang::BO_Xor, "bitwise", {"|", "&"}},
                                          {clang::BO_AndAssign, "bitwise", {"|="}},
                                          {clang::BO_OrAssign, "bitwise", {"&=", "^="}},
                                          {clang::BO_XorAssign, "bitwise", {"|="}},
                                          {clang::BO_LAnd, "logical", {"||"}},
                                          {clang::BO_LOr, "logical", {"&&"}}};
  return swaps;
}

const clang::Expr* Bare(const clang::Expr* expr) { return expr->IgnoreParenImpCasts(); }

bool IsComparison(const clang::Expr* expr) {
  const auto* op = llvm::dyn_cast<clang::BinaryOperator>(Bare(expr));
  return op != nullptr && op->isComparisonOp();
}

}  // namespace

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

bool MutantVisitor::TraverseIfStmt(clang::IfStmt* stmt) {
  if (stmt->isConstexpr()) return TraverseStmt(stmt->getThen()) && TraverseStmt(stmt->getElse());
  if (!stmt->hasVarStorage()) AddCondition(stmt->getCond(), true);
  for (const clang::Stmt* branch : {stmt->getThen(), stmt->getElse()}) {
    if (branch != nullptr) AddDeletion(branch);
  }
  return Base::TraverseIfStmt(stmt);
}

bool MutantVisitor::VisitForStmt(clang::ForStmt* stmt) {
  if (stmt->getCond() != nullptr) AddCondition(stmt->getCond(), false);
  AddDeletion(stmt->getBody());
  return true;
}

bool MutantVisitor::VisitWhileStmt(clang::WhileStmt* stmt) {
  if (stmt->getConditionVariable() == nullptr) AddCondition(stmt->getCond(), false);
  AddDeletion(stmt->getBody());
  return true;
}

bool MutantVisitor::VisitConditionalOperator(clang::ConditionalOperator* op) {
  AddCondition(op->getCond(), true);
  return true;
}

// A loop that never ends would only tell that time is limited, so no loop's condition is true.
void MutantVisitor::AddCondition(const clang::Expr* condition, bool may_be_true) {
  if (!condition->IgnoreParenImpCasts()->getType()->isBooleanType()) return;
  const auto* negated = llvm::dyn_cast<clang::UnaryOperator>(Bare(condition));
  const bool negation_elsewhere =
      IsComparison(condition) || (negated != nullptr && negated->getOpcode() == clang::UO_LNot);
  if (!negation_elsewhere && may_be_true) {
    AddExpression(condition, "condition", "!" + Operand(condition));
  }
  if (may_be_true) AddExpression(condition, "condition", "true");
  AddExpression(condition, "condition", "false");
}

bool MutantVisitor::VisitFunctionDecl(clang::FunctionDecl* decl) {
  const auto* body = llvm::dyn_cast_or_null<clang::CompoundStmt>(decl->getBody());
  if (body == nullptr || !decl->isThisDeclarationADefinition() || decl->isImplicit() ||
      decl->isDefaulted() || llvm::isa<clang::CXXConstructorDecl>(decl) ||
      llvm::isa<clang::CXXDestructorDecl>(decl) || decl->getReturnType()->isReferenceType() ||
      body->body_empty()) {
    return true;
  }
  const Range first = RangeOf(body->body_front()->getSourceRange());
  if (!first) return true;
  const bool is_void = decl->getReturnType()->isVoidType();
  Range before = first;
  before.end = before.begin;
  Add(before, Form::kFirstStatement, "early return", "", is_void ? "return;" : "return {};");
  return true;
}

bool MutantVisitor::VisitBinaryOperator(clang::BinaryOperator* op) {
  for (const Swap& swap : Swaps()) {
    if (op->getOpcode() != swap.from) continue;
    for (const char* to : swap.to) {
      AddExpression(op, swap.kind, Operand(op->getLHS()) + " " + to + " " + Operand(op->getRHS()));
    }
    if (swap.from == clang::BO_LAnd || swap.from == clang::BO_LOr) {
      AddExpression(op, "logical", Operand(op->getLHS()));
      AddExpression(op, "logical", Operand(op->getRHS()));
    }
    if (swap.from == clang::BO_Rem || swap.from == clang::BO_Add || swap.from == clang::BO_Sub) {
      AddExpression(op, "arithmetic", Operand(op->getLHS()));
    }
  }
  return true;
}

bool MutantVisitor::VisitUnaryOperator(clang::UnaryOperator* op) {
  const clang::Expr* of = op->getSubExpr();
  switch (op->getOpcode()) {
    case clang::UO_PreInc:
      AddExpression(op, "arithmetic", "--" + Operand(of));
      break;
    case clang::UO_PreDec:
      AddExpression(op, "arithmetic", "++" + Operand(of));
      break;
    case clang::UO_PostInc:
      AddExpression(op, "arithmetic", Operand(of) + "--");
      break;
    case clang::UO_PostDec:
      AddExpression(op, "arithmetic", Operand(of) + "++");
      break;
    case clang::UO_LNot:
      AddExpression(op, "logical", "static_cast<bool>" + Operand(of));
      break;
    case clang::UO_Minus:
    case clang::UO_Not:
      AddExpression(op, "arithmetic", Operand(of));
      break;
    default:
      break;
  }
  return true;
}

void MutantVisitor::AddConstant(const clang::Expr* expr, bool is_zero) {
  const std::string text = Text(expr);
  const std::string type = "static_cast<std::decay_t<decltype(" + text + ")>>";
  AddExpression(expr, "constant", type + "(" + text + " + 1)");
  if (!is_zero) AddExpression(expr, "constant", type + "(" + text + " - 1)");
}

bool MutantVisitor::VisitIntegerLiteral(clang::IntegerLiteral* literal) {
  AddConstant(literal, literal->getValue() == 0);
  return true;
}

bool MutantVisitor::VisitCXXBoolLiteralExpr(clang::CXXBoolLiteralExpr* literal) {
  AddExpression(literal, "constant", literal->getValue() ? "false" : "true");
  return true;
}

// A use of a named constant.
bool MutantVisitor::VisitDeclRefExpr(clang::DeclRefExpr* ref) {
  const auto* var = llvm::dyn_cast<clang::VarDecl>(ref->getDecl());
  if (var == nullptr || !var->isConstexpr() || !var->getType()->isIntegerType()) return true;
  AddConstant(ref, false);
  return true;
}

bool MutantVisitor::VisitCallExpr(clang::CallExpr* call) {
  if (llvm::isa<clang::CXXOperatorCallExpr>(call)) return true;
  AddSwappedArguments(call);
  for (const clang::Expr* argument : call->arguments()) {
    if (llvm::isa<clang::CXXDefaultArgExpr>(argument)) continue;
    const bool alike = context_.hasSameUnqualifiedType(argument->getType().getNonReferenceType(),
                                                       call->getType().getNonReferenceType());
    if (alike) AddExpression(call, "call", Operand(argument));
  }
  return true;
}

void MutantVisitor::AddSwappedArguments(const clang::CallExpr* call) {
  const Range whole = RangeOf(call->getSourceRange());
  if (!whole) return;
  const std::string text = Text(call);
  for (unsigned i = 0; i + 1 < call->getNumArgs(); ++i) {
    const clang::Expr* first = call->getArg(i);
    const clang::Expr* second = call->getArg(i + 1);
    if (llvm::isa<clang::CXXDefaultArgExpr>(second) ||
        !context_.hasSameUnqualifiedType(first->getType(), second->getType())) {
      continue;
    }
    const Range a = RangeOf(first->getSourceRange());
    const Range b = RangeOf(second->getSourceRange());
    if (!a || !b || a.begin < whole.begin || b.begin < a.end || Text(first) == Text(second)) {
      continue;
    }
    const unsigned from = whole.begin;
    AddExpression(call, "arguments swapped",
                  text.substr(0, a.begin - from) + Text(second) +
                      text.substr(a.end - from, b.begin - a.end) + Text(first) +
                      text.substr(b.end - from));
  }
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

bool MutantVisitor::VisitCompoundStmt(clang::CompoundStmt* stmt) {
  for (const clang::Stmt* child : stmt->body()) {
    if (!llvm::isa<clang::CaseStmt>(child)) AddDeletion(child);
  }
  return true;
}

}  // namespace lockstep::mutation
