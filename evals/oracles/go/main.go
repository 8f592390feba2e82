// Command oracle writes the call edges of a Go module as the Go type checker sees them.
//
//	go run . ROOT OUT.jsonl [packages...]
//
// Edges come from the syntax trees with types; what an interface call may reach comes from rapid type
// analysis over SSA. Beside OUT.jsonl it writes OUT.scope.json and OUT.sites.jsonl.
package main

import (
	"encoding/json"
	"fmt"
	"go/token"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"golang.org/x/tools/go/packages"
)

type place struct {
	Path string `json:"path"`
	Line int    `json:"line"`
	Name string `json:"name,omitempty"`
	Also []int  `json:"also,omitempty"`
}

type edge struct {
	Caller  place   `json:"caller"`
	Callee  place   `json:"callee"`
	At      int     `json:"at"`
	Kind    string  `json:"kind"`
	Dynamic bool    `json:"dynamic,omitempty"`
	Also    []place `json:"also,omitempty"`
}

type site struct {
	Path    string  `json:"path"`
	Line    int     `json:"line"`
	Col     int     `json:"col"`
	Name    string  `json:"name"`
	Caller  int     `json:"caller"`
	Status  string  `json:"status"`
	Callees []place `json:"callees,omitempty"`
}

// output gathers lines once each: a file is seen again in the test variant of its package.
type output struct {
	root  string
	fset  *token.FileSet
	edges map[string]bool
	sites map[string]bool
	files map[string]bool
	// Functions of files that other build tags would choose, by package, receiver and name.
	twins map[string][]place
}

// inside gives the place of a position, if it lies in a file under the root.
func (o *output) inside(pos token.Pos, name string) (place, bool) {
	if !pos.IsValid() {
		return place{}, false
	}
	at := o.fset.Position(pos)
	path, err := filepath.Rel(o.root, at.Filename)
	if err != nil || strings.HasPrefix(path, "..") {
		return place{}, false
	}
	return place{Path: filepath.ToSlash(path), Line: at.Line, Name: name}, true
}

func (o *output) put(set map[string]bool, value any) {
	line, err := json.Marshal(value)
	if err != nil {
		fail("cannot write %v: %v", value, err)
	}
	set[string(line)] = true
}

func (o *output) write(out string) {
	base := strings.TrimSuffix(out, ".jsonl")
	writeLines(out, o.edges)
	writeLines(base+".sites.jsonl", o.sites)
	files := make([]string, 0, len(o.files))
	for file := range o.files {
		files = append(files, file)
	}
	sort.Strings(files)
	scope, err := json.MarshalIndent(map[string]any{"root": o.root, "files": files}, "", " ")
	if err == nil {
		err = os.WriteFile(base+".scope.json", append(scope, '\n'), 0o644)
	}
	if err != nil {
		fail("cannot write the scope file: %v", err)
	}
	fmt.Printf("%s: %d edges, %d call sites, %d files\n", out, len(o.edges), len(o.sites), len(files))
}

func writeLines(path string, set map[string]bool) {
	lines := make([]string, 0, len(set))
	for line := range set {
		lines = append(lines, line)
	}
	sort.Strings(lines)
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o644); err != nil {
		fail("cannot write %s: %v", path, err)
	}
}

func fail(format string, args ...any) {
	fmt.Fprintf(os.Stderr, format+"\n", args...)
	os.Exit(1)
}

func load(root string, patterns []string) []*packages.Package {
	config := &packages.Config{Mode: packages.LoadAllSyntax, Dir: root, Tests: true}
	loaded, err := packages.Load(config, patterns...)
	if err != nil {
		fail("cannot load %v: %v", patterns, err)
	}
	faults := 0
	packages.Visit(loaded, nil, func(p *packages.Package) {
		for _, fault := range p.Errors {
			fmt.Fprintln(os.Stderr, fault)
			faults++
		}
	})
	if faults > 0 {
		fmt.Fprintf(os.Stderr, "%d errors while loading: edges of the packages concerned may be missing\n", faults)
	}
	return loaded
}

func main() {
	if len(os.Args) < 3 {
		fail("usage: oracle ROOT OUT.jsonl [packages...]   (packages: ./... if none)")
	}
	root, err := filepath.Abs(os.Args[1])
	if err != nil {
		fail("%v", err)
	}
	patterns := os.Args[3:]
	if len(patterns) == 0 {
		patterns = []string{"./..."}
	}
	loaded := load(root, patterns)
	if len(loaded) == 0 {
		fail("no packages under %s match %v", root, patterns)
	}
	out := &output{
		root: root, fset: loaded[0].Fset,
		edges: map[string]bool{}, sites: map[string]bool{}, files: map[string]bool{},
		twins: map[string][]place{},
	}
	for _, p := range loaded {
		out.ignored(p)
	}
	reached := reach(loaded)
	for _, p := range loaded {
		for _, file := range p.Syntax {
			newWalker(out, p, reached).file(file)
		}
	}
	out.write(os.Args[2])
}
