// Turns merged facts into the truth, scope and site files.
#include "facts.h"

#include <cstdlib>
#include <deque>
#include <fstream>
#include <iostream>

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using llvm::json::Array;
using llvm::json::Object;

static Object shown(const Place &place) {
  Object made{{"path", place.path}, {"line", static_cast<int64_t>(place.line)}};
  if (!place.name.empty()) made["name"] = place.name;
  return made;
}

static std::string text(Object object) {
  std::string out;
  llvm::raw_string_ostream stream(out);
  stream << llvm::json::Value(std::move(object));
  return out;
}

// Every method that overrides this one, at any depth.
static std::set<std::string> overriders(const Facts &facts, const std::string &start) {
  std::set<std::string> seen;
  std::deque<std::string> queue{start};
  while (!queue.empty()) {
    auto found = facts.overriders.find(queue.front());
    queue.pop_front();
    if (found == facts.overriders.end()) continue;
    for (const auto &other : found->second)
      if (seen.insert(other).second) queue.push_back(other);
  }
  return seen;
}

// The places of a callee, best first: a definition in the caller's file, another definition, declarations.
static std::vector<Place> ranked(const Facts &facts, const std::string &key, const std::string &near, bool dynamic) {
  std::vector<Place> found;
  auto put = [&](const Place &place) {
    for (const auto &other : found)
      if (other.path == place.path && other.line == place.line) return;
    found.push_back(place);
  };
  auto at = facts.functions.find(key);
  if (at == facts.functions.end()) return found;
  for (const auto &place : at->second.definitions)
    if (place.path == near) put(place);
  for (const auto &place : at->second.definitions) put(place);
  for (const auto &place : at->second.declarations) put(place);
  for (const auto &place : at->second.related) put(place);
  if (!dynamic || found.empty()) return found;
  for (const auto &other : overriders(facts, key)) {
    auto member = facts.functions.find(other);
    if (member == facts.functions.end()) continue;
    for (const auto &place : member->second.definitions) put(place);
    for (const auto &place : member->second.declarations) put(place);
  }
  return found;
}

static void lines(const std::string &path, const std::set<std::string> &all) {
  std::ofstream out(path);
  for (const auto &line : all) out << line << '\n';
  if (!out.flush()) {
    std::cerr << "cannot write " << path << '\n';
    std::exit(1);
  }
}

static std::set<std::string> edges(const Facts &facts) {
  std::set<std::string> all;
  for (const auto &edge : facts.edges) {
    auto places = ranked(facts, edge.callee, edge.caller.place.path, edge.dynamic);
    if (places.empty()) continue;
    Object caller = shown(edge.caller.place);
    if (!edge.caller.also.empty()) caller["also"] = Array(edge.caller.also);
    Object made{{"caller", std::move(caller)},
                {"callee", shown(places[0])},
                {"at", static_cast<int64_t>(edge.at)},
                {"kind", edge.kind}};
    if (edge.dynamic) made["dynamic"] = true;
    Array also;
    for (size_t i = 1; i < places.size(); ++i) also.push_back(shown(places[i]));
    if (!also.empty()) made["also"] = std::move(also);
    all.insert(text(std::move(made)));
  }
  return all;
}

static std::set<std::string> sites(const Facts &facts) {
  std::set<std::string> all;
  for (const auto &[at, site] : facts.sites) {
    Array callees;
    for (const auto &key : site.callees)
      for (const auto &place : ranked(facts, key, std::get<0>(at), false)) callees.push_back(shown(place));
    const char *status = site.inside ? "inside" : site.external ? "external" : site.value ? "value" : "unknown";
    all.insert(text(Object{{"path", std::get<0>(at)},
                           {"line", static_cast<int64_t>(std::get<1>(at))},
                           {"col", static_cast<int64_t>(std::get<2>(at))},
                           {"name", site.name},
                           {"caller", static_cast<int64_t>(site.caller)},
                           {"status", status},
                           {"callees", std::move(callees)}}));
  }
  return all;
}

// Lines no translation unit compiled, as ranges.
static Object skipped(const Facts &facts) {
  Object all;
  for (const auto &[path, counts] : facts.skipped) {
    Array ranges;
    unsigned first = 0, last = 0;
    auto flush = [&] {
      if (first) ranges.push_back(Array{static_cast<int64_t>(first), static_cast<int64_t>(last)});
    };
    for (const auto &[line, count] : counts) {
      auto times = facts.entered.find(path);
      if (times == facts.entered.end() || count < times->second) continue;
      if (first && line == last + 1) {
        last = line;
        continue;
      }
      flush();
      first = last = line;
    }
    flush();
    if (!ranges.empty()) all[path] = std::move(ranges);
  }
  return all;
}

void write(const Facts &facts, const std::string &root, const std::string &out) {
  std::string base = out.substr(0, out.rfind(".jsonl"));
  auto all = edges(facts);
  lines(out, all);
  lines(base + ".sites.jsonl", sites(facts));
  Array files;
  for (const auto &[path, times] : facts.entered) files.push_back(path);
  size_t count = files.size();
  lines(base + ".scope.json", {text(Object{{"root", root}, {"files", std::move(files)}, {"skipped", skipped(facts)}})});
  std::cout << out << ": " << all.size() << " edges, " << facts.sites.size() << " call sites, " << count << " files\n";
}
