#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Completions of pawl's command line for a shell, from `pawl help` as docs/options.md is.

Usage: completions.py PAWL bash|zsh|fish    writes to standard output

They run nothing: a name of a kernel or a case would need the code of the repository."""
import re
import sys

import options

ONLY_BEFORE = {"--version"}


def values_of(argument):
    """The words that an argument such as `kept|fresh|none` may be."""
    return [word for word in argument.split("|") if re.fullmatch(r"[a-z][a-z-]*", word)] if "|" in argument else []


def is_path(argument):
    return bool(re.match(r"(FILE|DIR|CACHE)\b", argument))


def subcommands_of(synopsis):
    """`ci plan|measure ...` and `history [...] | export ... | import ...`: the words that stand first."""
    rest = re.sub(r"\[[^]]*\]", " ", synopsis.partition(" ")[2])
    first = [part.split()[0] for part in rest.split("|") if part.split()]
    optional = re.match(r"\S+ \[([a-z|]+)[ \]]", synopsis)
    return [word for word in first + (optional[1].split("|") if optional else []) if re.fullmatch(r"[a-z][a-z-]*", word)]


class Option:
    def __init__(self, text, summary):
        self.name, _, self.argument = text.partition(" ")
        self.summary = summary


class Command:
    def __init__(self, name, synopsis, summary, rows):
        self.name, self.summary, self.words = name, summary, subcommands_of(synopsis)
        self.options = [Option(*row) for row in rows]


def read(pawl):
    """(options of every command, commands); `help` is the last command."""
    general, commands = options.read(pawl)
    commands = [Command(*row) for row in commands]
    overview = Command("help", "help", "explain a command", [])
    overview.words = [command.name for command in commands]
    return [Option(*row) for row in general], commands + [overview]


def bash(general, commands):
    after = [option for option in general if option.name not in ONLY_BEFORE]
    valued = "|".join(option.name for option in general if option.argument)
    lines = ["_pawl() {", "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command= words= i",
             "  for ((i = 1; i < COMP_CWORD; i++)); do", "    case ${COMP_WORDS[i]} in", f"      {valued}) ((i++)) ;;",
             "      -*) ;;", "      *) command=${COMP_WORDS[i]}; break ;;", "    esac", "  done",
             '  case "$command $before" in']
    for command in [Command("", "", "", []), *commands]:
        for option in general + command.options:
            if not option.argument:
                continue
            pattern = f'"{command.name} {option.name}"' if option in command.options else f'*" {option.name}"'
            if option in general and command.name:
                continue
            action = (f'mapfile -t COMPREPLY < <(compgen -W "{" ".join(values_of(option.argument))}" -- "$word")'
                      if values_of(option.argument) else
                      'mapfile -t COMPREPLY < <(compgen -f -- "$word")' if is_path(option.argument) else "COMPREPLY=()")
            lines.append(f"    {pattern}) {action}; return ;;")
    lines += ["  esac", "  case $command in",
              f'    "") words="{" ".join([c.name for c in commands] + [o.name for o in general])}" ;;']
    for command in commands:
        words = command.words + [option.name for option in command.options + after]
        lines.append(f'    {command.name}) words="{" ".join(words)}" ;;')
    lines += ["  esac", '  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")', "}",
              "complete -o bashdefault -o default -o filenames -F _pawl pawl"]
    return lines


def zsh(general, commands):
    def spec(option):
        summary = re.sub(r"([\[\]:\\])", r"\\\1", option.summary).replace("'", "'\\''")
        text = f"*{option.name}[{summary}]" if option.name == "-D" else f"{option.name}[{summary}]"
        if option.argument:
            message = re.sub(r"([:\\])", r"\\\1", option.argument.lower())
            values = values_of(option.argument)
            text += f":{message}:" + (f"({' '.join(values)})" if values else "_files" if is_path(option.argument) else " ")
        return f"'{text}'"

    after = [option for option in general if option.name not in ONLY_BEFORE]
    lines = ["#compdef pawl", "_pawl() {", "  local context state state_descr line curcontext=$curcontext",
             "  typeset -A opt_args", "  local -a commands general", "  general=("]
    lines += [f"    {spec(option)}" for option in after] + ["  )", "  commands=("]
    for command in commands:
        summary = command.summary.replace("'", "'\\''").replace(":", "\\:")
        lines.append(f"    '{command.name}:{summary}'")
    lines += ["  )", "  _arguments -C $general \\"]
    lines += [f"    {spec(option)} \\" for option in general if option.name in ONLY_BEFORE]
    lines += ["    '1:command:->command' '*::argument:->arguments' && return", "  case $state in",
              "    command) _describe command commands ;;", "    arguments)", "      case $line[1] in"]
    for command in commands:
        operand = f"'1:word:({' '.join(command.words)})' '*:file:_files'" if command.words else "'*:file:_files'"
        lines.append(f"        {command.name}) _arguments $general {' '.join(spec(o) for o in command.options)} {operand} ;;")
    lines += ["      esac ;;", "  esac", "}", '_pawl "$@"']
    return lines


def fish(general, commands):
    def quoted(text):
        return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"

    def row(condition, option):
        name = f"-l {option.name[2:]}" if option.name.startswith("--") else f"-s {option.name[1:]}"
        values = values_of(option.argument)
        takes = "" if not option.argument else f" -xa '{' '.join(values)}'" if values else " -rF" if is_path(option.argument) else " -x"
        return f"complete -c pawl{condition} {name}{takes} -d {quoted(option.summary)}"

    valued = " ".join(option.name for option in general if option.argument)
    lines = ["# The command is the first word that is no option, nor the value of an option.", "function __pawl_command_is",
             "  set -l words (commandline -opc)", "  set -l command", "  set -l skip", "  for word in $words[2..-1]",
             "    if set -q skip[1]", "      set -e skip[1]", f"    else if contains -- $word {valued}",
             "      set skip yes", "    else if not string match -q -- '-*' $word", "      set command $word", "      break",
             "    end", "  end", '  test "$command" = "$argv[1]"', "end"]
    for command in commands:
        lines.append(f"complete -c pawl -n '__pawl_command_is \"\"' -fa {command.name} -d {quoted(command.summary)}")
    lines += [row(" -n '__pawl_command_is \"\"'" if option.name in ONLY_BEFORE else "", option) for option in general]
    for command in commands:
        condition = f" -n '__pawl_command_is {command.name}'"
        if command.words:
            lines.append(f"complete -c pawl{condition} -a '{' '.join(command.words)}'")
        lines += [row(condition, option) for option in command.options]
    return lines


def main():
    writers = {"bash": bash, "zsh": zsh, "fish": fish}
    if len(sys.argv) != 3 or sys.argv[2] not in writers:
        sys.exit(__doc__.split("\n\n")[1])
    print("\n".join(writers[sys.argv[2]](*read(sys.argv[1]))))
    return 0


if __name__ == "__main__":
    sys.exit(main())
