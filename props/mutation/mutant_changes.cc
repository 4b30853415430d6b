// What each piece of syntax is changed into.

#include <regex>
#include <string>
#include <vector>

#include "clang/AST/ExprCXX.h"
#include "props/mutation/mutant_visitor.h"

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

// True where the order of the arguments cannot matter: least and greatest, and sums, products and
// bits of integers, as the compiler's own functions give them.
bool IsCommutative(const clang::CallExpr* call) {
  const clang::FunctionDecl* const callee = call->getDirectCallee();
  if (callee == nullptr || callee->getDeclName().isEmpty()) return false;
  const std::string name = callee->getNameAsString();
  if (name == "min" || name == "max") return callee->isInStdNamespace();
  if (name == "__builtin_add_overflow" || name == "__builtin_mul_overflow") return true;
  static const std::regex vector("_mm(256|512)?_(add|mul|mullo|and|or|xor)_(epi|epu|si)[0-9]+");
  return std::regex_match(name, vector);
}

}  // namespace

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
  AddEnd(body, decl->getReturnType());
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
  if (IsCommutative(call)) return;
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

}  // namespace lockstep::mutation
