package main

import (
	"go/ast"
	"go/parser"
	"go/types"
	"sort"
	"strings"

	"golang.org/x/tools/go/packages"
)

// ignored notes the functions of files left out by build tags: the same call means them elsewhere.
func (o *output) ignored(p *packages.Package) {
	seen := map[string]bool{}
	for _, path := range p.IgnoredFiles {
		file, err := parser.ParseFile(o.fset, path, nil, parser.SkipObjectResolution)
		if err != nil || !strings.HasSuffix(path, ".go") || file.Name.Name != p.Name {
			continue
		}
		for _, declaration := range file.Decls {
			function, ok := declaration.(*ast.FuncDecl)
			if !ok {
				continue
			}
			receiver := ""
			if function.Recv != nil && len(function.Recv.List) == 1 {
				receiver = receiverName(function.Recv.List[0].Type)
			}
			key := p.PkgPath + " " + receiver + " " + function.Name.Name
			at, ok := o.inside(function.Name.Pos(), function.Name.Name)
			if ok && !seen[key+at.Path] && !contains(o.twins[key], at) {
				o.twins[key] = append(o.twins[key], at)
				seen[key+at.Path] = true
			}
		}
	}
	for _, places := range o.twins {
		sort.Slice(places, func(i, j int) bool { return places[i].Path < places[j].Path })
	}
}

func contains(places []place, wanted place) bool {
	for _, other := range places {
		if other.Path == wanted.Path && other.Line == wanted.Line {
			return true
		}
	}
	return false
}

func receiverName(expression ast.Expr) string {
	switch expression := expression.(type) {
	case *ast.StarExpr:
		return receiverName(expression.X)
	case *ast.IndexExpr:
		return receiverName(expression.X)
	case *ast.IndexListExpr:
		return receiverName(expression.X)
	case *ast.Ident:
		return expression.Name
	}
	return ""
}

func twinOf(function *types.Func) string {
	receiver := ""
	if variable := function.Signature().Recv(); variable != nil {
		kind := types.Unalias(variable.Type())
		if pointer, ok := kind.(*types.Pointer); ok {
			kind = types.Unalias(pointer.Elem())
		}
		if named, ok := kind.(*types.Named); ok {
			receiver = named.Obj().Name()
		}
	}
	if function.Pkg() == nil {
		return ""
	}
	return function.Pkg().Path() + " " + receiver + " " + function.Name()
}
