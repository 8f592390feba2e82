package main

import (
	"go/token"

	"golang.org/x/tools/go/callgraph/rta"
	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"
)

// reach tells for every call position which functions rapid type analysis finds there. Every function of
// the loaded packages is a root, as a library may be entered anywhere.
func reach(loaded []*packages.Package) map[token.Pos]map[*ssa.Function]bool {
	program, initial := ssautil.AllPackages(loaded, ssa.InstantiateGenerics)
	program.Build()
	ours := map[*ssa.Package]bool{}
	for _, p := range initial {
		if p != nil {
			ours[p] = true
		}
	}
	var roots []*ssa.Function
	for function := range ssautil.AllFunctions(program) {
		if ours[function.Pkg] && function.TypeParams().Len() == len(function.TypeArgs()) {
			roots = append(roots, function)
		}
	}
	found := map[token.Pos]map[*ssa.Function]bool{}
	if len(roots) == 0 {
		return found
	}
	result := rta.Analyze(roots, true)
	for _, node := range result.CallGraph.Nodes {
		for _, out := range node.Out {
			if out.Site == nil {
				continue
			}
			at := out.Site.Pos()
			if found[at] == nil {
				found[at] = map[*ssa.Function]bool{}
			}
			found[at][out.Callee.Func] = true
		}
	}
	return found
}
