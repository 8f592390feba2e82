/* Writes the content of a generated parser: every array as it lies in memory, and the lexers as tables.
 *
 * The generated lexers are functions over a switch. The macros below make them take a single step: which state they go to
 * from a state by a character, and which token they accept in it. The program is compiled for each grammar with
 *
 *   PARSER      the path of parser.c
 *   LANGUAGE    the function that returns the language
 *   CONTENT     a file that calls `array` and `strings` for what the parser has, and `lexer` for its lexers
 *   CHARACTERS  a file with all characters at which the lexers may change their mind, in order
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tree_sitter/parser.h"

static struct {
  int32_t next;
  bool skip;
  int32_t accepted;
} step;

#undef START_LEXER
#undef ADVANCE
#undef ADVANCE_MAP
#undef SKIP
#undef ACCEPT_TOKEN
#undef END_STATE
#define START_LEXER() \
  bool eof = false;   \
  (void)eof;          \
  int32_t lookahead = lexer->lookahead;
#define ADVANCE(state_value)   \
  {                            \
    step.next = (state_value); \
    return true;               \
  }
#define ADVANCE_MAP(...)                                             \
  {                                                                  \
    static const uint16_t map[] = {__VA_ARGS__};                     \
    for (uint32_t i = 0; i < sizeof(map) / sizeof(map[0]); i += 2) { \
      if (map[i] == lookahead) {                                     \
        step.next = map[i + 1];                                      \
        return true;                                                 \
      }                                                              \
    }                                                                \
  }
#define SKIP(state_value)      \
  {                            \
    step.next = (state_value); \
    step.skip = true;          \
    return true;               \
  }
#define ACCEPT_TOKEN(symbol_value) step.accepted = (symbol_value);
#define END_STATE() return false;

#include PARSER

static FILE *file;

static void number(uint32_t value) { fwrite(&value, 4, 1, file); }

static void bytes(const void *from, size_t length) {
  number((uint32_t)length);
  fwrite(from, 1, length, file);
}

/* A named part of the output. */
static void part(const char *name) { bytes(name, strlen(name)); }

static void strings(const char *name, const char *const *from, size_t count) {
  size_t length = 0;
  for (size_t i = 0; i < count; i++) length += from[i] ? strlen(from[i]) + 1 : 1;
  part(name);
  number((uint32_t)length);
  for (size_t i = 0; i < count; i++) fwrite(from[i] ? from[i] : "", 1, from[i] ? strlen(from[i]) + 1 : 1, file);
}

static bool at_end;

static bool eof_of_step(const TSLexer *lexer) {
  (void)lexer;
  return at_end;
}

static const int32_t characters[] = {
#include CHARACTERS
};
enum { CHARACTER_COUNT = sizeof(characters) / sizeof(characters[0]) };

/* Where a lexer goes: 0 for nowhere, else twice the state and one, and one more if it skips the character. */
static uint32_t gone(bool (*lex)(TSLexer *, TSStateId), TSStateId state, int32_t character, bool end, int32_t *accepted) {
  TSLexer lexer = {0};
  lexer.lookahead = character;
  lexer.eof = eof_of_step;
  at_end = end;
  step.next = -1;
  step.skip = false;
  step.accepted = -1;
  lex(&lexer, state);
  *accepted = step.accepted;
  return step.next < 0 ? 0 : 2 * (uint32_t)step.next + 1 + step.skip;
}

/* For each state: the accepted token and one, where the lexer goes at the end of the file, and by each character. */
static void lexer(const char *name, bool (*lex)(TSLexer *, TSStateId), uint32_t state_count) {
  part(name);
  number(4 * state_count * (2 + CHARACTER_COUNT));
  for (uint32_t state = 0; state < state_count; state++) {
    int32_t accepted, other;
    uint32_t end = gone(lex, (TSStateId)state, 0, true, &accepted);
    number((uint32_t)(accepted + 1));
    number(end);
    for (uint32_t i = 0; i < CHARACTER_COUNT; i++) {
      number(gone(lex, (TSStateId)state, characters[i], false, &other));
      if (other != accepted) {
        fprintf(stderr, "state %u accepts another token by the character %d\n", state, (int)characters[i]);
        exit(1);
      }
    }
  }
}

#define ARRAY(name, array) \
  part(name);              \
  bytes(array, sizeof(array))
#define STRINGS(name, array) strings(name, array, sizeof(array) / sizeof(array[0]))

int main(int count, char **arguments) {
  if (count != 2 || !(file = fopen(arguments[1], "wb"))) return 2;
  const TSLanguage *language = LANGUAGE();
  const uint32_t counts[] = {
      LANGUAGE_VERSION,
      language->symbol_count,
      language->alias_count,
      language->token_count,
      language->external_token_count,
      language->state_count,
      language->large_state_count,
      language->production_id_count,
      language->field_count,
      language->max_alias_sequence_length,
      language->keyword_capture_token,
#if LANGUAGE_VERSION >= 15
      language->max_reserved_word_set_size,
      language->supertype_count,
      language->metadata.major_version,
      language->metadata.minor_version,
      language->metadata.patch_version,
#else
      0, 0, 0, 0, 0,
#endif
  };
  ARRAY("counts", counts);
#include CONTENT
  return fclose(file);
}
