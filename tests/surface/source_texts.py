"""The texts that expressions of a module may be, as far as its syntax tree shows: constants, f-strings, arguments."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product

UNKNOWN = "*"
_DEEPEST = 3

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass
class Call:
    """A call, and the function whose body it is in."""

    node: ast.Call
    inside: Function | None

    @property
    def name(self) -> str:
        """Return the last part of the called name."""
        return last_name(self.node.func)


@dataclass
class Module:
    """What was read from one module."""

    calls: list[Call] = field(default_factory=list)
    texts: list[tuple[ast.expr, Function | None]] = field(default_factory=list)
    classes: list[ast.ClassDef] = field(default_factory=list)
    constants: dict[str, ast.expr] = field(default_factory=dict)

    def values(self, node: ast.expr, inside: Function | None, depth: int = 0) -> Iterator[str]:
        """Yield the texts that an expression may be, a star for what is not known."""
        if isinstance(node, ast.Constant):
            yield node.value if isinstance(node.value, str) else UNKNOWN
        elif isinstance(node, ast.IfExp):
            yield from (*self.values(node.body, inside, depth), *self.values(node.orelse, inside, depth))
        elif isinstance(node, ast.JoinedStr):
            yield from map("".join, product(*(tuple(self.values(part, inside, depth)) for part in node.values)))
        elif isinstance(node, ast.FormattedValue):
            yield from self.values(node.value, inside, depth)
        elif isinstance(node, ast.Name):
            yield from self._named(node.id, inside, depth)
        else:
            yield UNKNOWN

    def _named(self, name: str, inside: Function | None, depth: int) -> Iterator[str]:
        """Yield what a name stands for: a constant of the module, or what callers in the module give for it."""
        if name in self.constants:
            yield from self.values(self.constants[name], None, depth + 1)
        elif inside is not None and depth < _DEEPEST and (given := list(self._given(name, inside))):
            for value, caller in given:
                yield from self.values(value, caller, depth + 1)
        else:
            yield UNKNOWN

    def _given(self, name: str, function: Function) -> Iterator[tuple[ast.expr, Function | None]]:
        names = [argument.arg for argument in function.args.args if argument.arg != "self"]
        if name not in names:
            return
        place = names.index(name)
        for call in self.calls:
            if call.name == function.name:
                keywords = {keyword.arg: keyword.value for keyword in call.node.keywords}
                if name in keywords:
                    yield keywords[name], call.inside
                elif place < len(call.node.args):
                    yield call.node.args[place], call.inside


def read_module(source: str) -> Module:
    """Return what a module's source shows."""
    tree = ast.parse(source)
    module = Module()
    for statement in tree.body:
        if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Constant | ast.JoinedStr):
            module.constants |= {
                target.id: statement.value for target in statement.targets if isinstance(target, ast.Name)
            }
    _collect(tree, None, module)
    return module


def _collect(node: ast.AST, inside: Function | None, module: Module) -> None:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Call):
            module.calls.append(Call(child, inside))
        elif isinstance(child, ast.ClassDef):
            module.classes.append(child)
        elif isinstance(child, ast.JoinedStr) or (isinstance(child, ast.Constant) and isinstance(child.value, str)):
            module.texts.append((child, inside))
        if not isinstance(child, ast.JoinedStr):
            _collect(child, child if isinstance(child, Function) else inside, module)


def last_name(node: ast.expr) -> str:
    """Return `b` of `a.b` and of `b`, nothing of any other expression."""
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
