package main

import (
	"go/ast"
	"go/token"
	"go/types"
	"sort"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/types/typeutil"
)

// symbol is a named thing around a reference. A soft one (a variable, a function literal with a name) lets
// the symbol around it count as the caller too.
type symbol struct {
	name string
	line int
	soft bool
}

type walker struct {
	out     *output
	info    *types.Info
	reached map[token.Pos]map[*ssa.Function]bool
	path    string
	around  []symbol
	stack   []ast.Node
	named   map[*ast.FuncLit]*ast.Ident
	literal map[types.Object]bool
	written map[types.Object]int
	callees map[*ast.Ident]bool
}

func newWalker(out *output, p *packages.Package, reached map[token.Pos]map[*ssa.Function]bool) *walker {
	w := &walker{
		out: out, info: p.TypesInfo, reached: reached,
		named: map[*ast.FuncLit]*ast.Ident{}, literal: map[types.Object]bool{},
		written: map[types.Object]int{}, callees: map[*ast.Ident]bool{},
	}
	return w
}

func (w *walker) file(file *ast.File) {
	here, ok := w.out.inside(file.Package, "")
	if !ok {
		return
	}
	w.path = here.Path
	w.out.files[w.path] = true
	ast.Inspect(file, w.survey)
	w.visit(file)
}

// survey notes the names of function literals and how often each variable is written.
func (w *walker) survey(node ast.Node) bool {
	pair := func(name, value ast.Expr) {
		ident, ok := name.(*ast.Ident)
		if !ok {
			return
		}
		object := w.info.ObjectOf(ident)
		w.written[object]++
		if function, ok := ast.Unparen(value).(*ast.FuncLit); ok {
			w.named[function] = ident
			w.literal[object] = true
		}
	}
	switch node := node.(type) {
	case *ast.AssignStmt:
		for i, left := range node.Lhs {
			if len(node.Rhs) == len(node.Lhs) {
				pair(left, node.Rhs[i])
			} else {
				pair(left, nil)
			}
		}
	case *ast.ValueSpec:
		for i, name := range node.Names {
			if i < len(node.Values) && len(node.Values) == len(node.Names) {
				pair(name, node.Values[i])
			}
		}
	case *ast.KeyValueExpr:
		if function, ok := node.Value.(*ast.FuncLit); ok {
			if key, ok := node.Key.(*ast.Ident); ok {
				w.named[function] = key
			}
		}
	}
	return true
}

// visit walks a node with the symbols around it kept in step.
func (w *walker) visit(root ast.Node) {
	var opened []int
	ast.Inspect(root, func(node ast.Node) bool {
		if node == nil {
			w.stack = w.stack[:len(w.stack)-1]
			w.around = w.around[:len(w.around)-opened[len(opened)-1]]
			opened = opened[:len(opened)-1]
			return true
		}
		before := len(w.around)
		w.open(node)
		w.look(node)
		w.stack = append(w.stack, node)
		opened = append(opened, len(w.around)-before)
		return true
	})
}

func (w *walker) open(node ast.Node) {
	push := func(ident *ast.Ident, soft bool) {
		line := w.out.fset.Position(ident.Pos()).Line
		w.around = append(w.around, symbol{name: ident.Name, line: line, soft: soft})
	}
	switch node := node.(type) {
	case *ast.FuncDecl:
		push(node.Name, false)
	case *ast.TypeSpec:
		push(node.Name, false)
	case *ast.ValueSpec:
		if len(w.around) == 0 {
			push(node.Names[0], true)
		}
	case *ast.FuncLit:
		if ident := w.named[node]; ident != nil {
			push(ident, !w.literal[w.info.ObjectOf(ident)])
		}
	}
}

func (w *walker) caller() place {
	at := place{Path: w.path}
	for i := len(w.around) - 1; i >= 0; i-- {
		if i == len(w.around)-1 {
			at.Line, at.Name = w.around[i].line, w.around[i].name
		} else {
			at.Also = append(at.Also, w.around[i].line)
		}
		if !w.around[i].soft {
			return at
		}
	}
	if at.Line != 0 {
		at.Also = append(at.Also, 0)
	}
	return at
}

func (w *walker) look(node ast.Node) {
	switch node := node.(type) {
	case *ast.CallExpr:
		w.call(node)
	case *ast.CompositeLit:
		w.literalOf(node)
	case *ast.Ident:
		if function, ok := w.info.Uses[node].(*types.Func); ok && !w.callees[node] {
			w.emit(node, function.Origin(), "ref", false, nil)
		}
	}
}

func (w *walker) literalOf(node *ast.CompositeLit) {
	kind := w.info.TypeOf(node)
	if pointer, ok := types.Unalias(kind).(*types.Pointer); ok {
		kind = pointer.Elem()
	}
	if named, ok := types.Unalias(kind).(*types.Named); ok && node.Type != nil {
		w.emit(node, named.Origin().Obj(), "literal", false, nil)
	}
}

// calledName is the identifier a call is written with: the last one of a selector, the generic function's.
func calledName(call *ast.CallExpr) *ast.Ident {
	fun := ast.Unparen(call.Fun)
	switch index := fun.(type) {
	case *ast.IndexExpr:
		fun = ast.Unparen(index.X)
	case *ast.IndexListExpr:
		fun = ast.Unparen(index.X)
	}
	switch fun := fun.(type) {
	case *ast.Ident:
		return fun
	case *ast.SelectorExpr:
		return fun.Sel
	}
	return nil
}

func (w *walker) call(call *ast.CallExpr) {
	ident := calledName(call)
	if value, ok := w.info.Types[call.Fun]; ok && value.IsType() {
		if ident != nil {
			w.emit(call, w.info.Uses[ident], "conversion", false, nil)
		}
		return
	}
	if ident == nil {
		return
	}
	w.callees[ident] = true
	switch object := typeutil.Callee(w.info, call).(type) {
	case *types.Func:
		w.callFunc(call, ident, object.Origin())
	case *types.Var:
		kind := "value"
		if w.literal[object] && w.written[object] == 1 && !object.IsField() {
			kind = "call"
		}
		w.emit(call, object, kind, kind == "value", w.implementations(call, nil))
		w.note(call, ident, []types.Object{object}, kind == "value")
	}
}

func (w *walker) callFunc(call *ast.CallExpr, ident *ast.Ident, function *types.Func) {
	receiver := function.Signature().Recv()
	if receiver == nil || !types.IsInterface(receiver.Type()) {
		w.emit(call, function, "call", false, nil)
		w.note(call, ident, []types.Object{function}, false)
		return
	}
	impls := w.implementations(call, function)
	if _, ok := w.out.inside(function.Pos(), ""); ok {
		w.emit(call, function, "call", true, impls)
	} else if len(impls) > 0 {
		w.emit(call, impls[0], "dispatch", true, impls[1:])
	}
	w.note(call, ident, append([]types.Object{function}, impls...), false)
}

// implementations lists the declared functions of the repository that a dynamic call may reach.
func (w *walker) implementations(call *ast.CallExpr, not *types.Func) []types.Object {
	at := call.Lparen
	if len(w.stack) > 0 {
		switch statement := w.stack[len(w.stack)-1].(type) {
		case *ast.GoStmt:
			at = statement.Go
		case *ast.DeferStmt:
			at = statement.Defer
		}
	}
	seen := map[token.Pos]types.Object{}
	for function := range w.reached[at] {
		object, ok := function.Object().(*types.Func)
		if !ok || object.Origin() == not {
			continue
		}
		if _, ok := w.out.inside(object.Origin().Pos(), ""); ok {
			seen[object.Origin().Pos()] = object.Origin()
		}
	}
	found := make([]types.Object, 0, len(seen))
	for _, object := range seen {
		found = append(found, object)
	}
	sort.Slice(found, func(i, j int) bool {
		a, b := w.out.fset.Position(found[i].Pos()), w.out.fset.Position(found[j].Pos())
		return a.Filename < b.Filename || a.Filename == b.Filename && a.Offset < b.Offset
	})
	return found
}

func (w *walker) emit(at ast.Node, to types.Object, kind string, dynamic bool, also []types.Object) {
	if to == nil {
		return
	}
	callee, ok := w.out.inside(to.Pos(), to.Name())
	if !ok {
		return
	}
	line := w.out.fset.Position(at.Pos()).Line
	if call, ok := at.(*ast.CallExpr); ok {
		if ident := calledName(call); ident != nil {
			line = w.out.fset.Position(ident.Pos()).Line
		}
	}
	made := edge{Caller: w.caller(), Callee: callee, At: line, Kind: kind, Dynamic: dynamic}
	for _, object := range also {
		if other, ok := w.out.inside(object.Pos(), object.Name()); ok {
			made.Also = append(made.Also, other)
		}
	}
	if function, ok := to.(*types.Func); ok {
		made.Also = append(made.Also, w.out.twins[twinOf(function)]...)
	}
	w.out.put(w.out.edges, made)
}

func (w *walker) note(call *ast.CallExpr, ident *ast.Ident, to []types.Object, unknown bool) {
	at := w.out.fset.Position(ident.Pos())
	made := site{Path: w.path, Line: at.Line, Col: at.Column, Name: ident.Name, Caller: w.caller().Line, Status: "external"}
	for _, object := range to {
		if callee, ok := w.out.inside(object.Pos(), object.Name()); ok {
			made.Callees = append(made.Callees, callee)
			made.Status = "inside"
		}
	}
	if unknown {
		made.Status = "unknown"
	}
	w.out.put(w.out.sites, made)
}
