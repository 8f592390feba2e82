// What the translation units say, merged by the names the linker would use.
#pragma once

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

// A line of a file under the root. Line 0 is top-level code.
struct Place {
  std::string path;
  unsigned line = 0;
  std::string name;
  bool operator<(const Place &other) const {
    return std::tie(path, line, name) < std::tie(other.path, other.line, other.name);
  }
};

// A caller: the innermost named symbol, and the lines of the symbols around it that may count as well.
struct Caller {
  Place place;
  std::vector<unsigned> also;
  bool operator<(const Caller &other) const { return std::tie(place, also) < std::tie(other.place, other.also); }
};

// One call as written. The callee is a key of `Facts::functions`.
struct Edge {
  Caller caller;
  std::string callee;
  unsigned at = 0;
  std::string kind;
  bool dynamic = false;
  bool operator<(const Edge &other) const {
    return std::tie(caller, callee, at, kind, dynamic) <
           std::tie(other.caller, other.callee, other.at, other.kind, other.dynamic);
  }
};

// Where a function, variable or type is declared and defined.
struct Function {
  std::set<Place> definitions, declarations, related;
};

struct Site {
  std::string name;
  unsigned caller = 0;
  bool inside = false, external = false, value = false, unknown = false;
  std::set<std::string> callees;
};

struct Facts {
  std::map<std::string, Function> functions;
  std::map<std::string, std::set<std::string>> overriders;
  std::set<Edge> edges;
  std::map<std::tuple<std::string, unsigned, unsigned>, Site> sites;
  // How often each file was read, and how often each of its lines was left out by the preprocessor.
  std::map<std::string, unsigned> entered;
  std::map<std::string, std::map<unsigned, unsigned>> skipped;
};

void write(const Facts &facts, const std::string &root, const std::string &out);
