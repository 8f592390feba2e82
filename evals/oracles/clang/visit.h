// Watches one translation unit and adds what it says to the facts.
#pragma once

#include <memory>
#include <string>

#include "clang/Frontend/CompilerInstance.h"
#include "facts.h"

std::unique_ptr<clang::ASTConsumer> watch(clang::CompilerInstance &compiler, Facts &facts, const std::string &root);
