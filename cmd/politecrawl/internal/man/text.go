package man

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
)

// manualText is the manual page of a command or topic. It is written in the man
// macros (groff_man(7)) straight from the texts of the help, which are plain text: by
// way of Markdown their asterisks, underscores and angle brackets would be lost.
func manualText(cmd *cobra.Command, date, version string) string {
	m := &manual{}
	// Programs read the date too, and recognize it by its hyphens.
	fmt.Fprintf(&m.b, ".TH %s %s %q %s %s\n", argument(strings.ToUpper(pageName(cmd))), argument(fmt.Sprint(pageSection(cmd))), date, argument(version), argument("Politecrawl Manual"))
	m.b.WriteString(".nh\n.ad l\n") // no word is broken and no space stretched: there are commands in the text
	m.macro("SH", "NAME")
	m.line(roff(pageName(cmd)) + ` \- ` + roff(cmd.Short))
	if cmd.Runnable() || cmd.HasAvailableSubCommands() {
		m.macro("SH", "SYNOPSIS")
		m.synopsis(cmd)
	}
	m.macro("SH", "DESCRIPTION")
	long := cmd.Long
	if long == "" {
		long = cmd.Short + "."
	}
	m.prose(long)
	m.commands(cmd)
	m.options(cmd)
	if cmd.Example != "" {
		m.macro("SH", "EXAMPLES")
		m.verbatim(cmd.Example)
	}
	m.seeAlso(cmd)
	return m.b.String()
}

// A manual is a manual page on its way.
type manual struct{ b strings.Builder }

// line writes a line of text that is roff already.
func (m *manual) line(text string) {
	if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "'") {
		text = `\&` + text // it is no macro
	}
	m.b.WriteString(text + "\n")
}

// macro calls a macro with arguments that are plain text.
func (m *manual) macro(name string, args ...string) {
	m.b.WriteString("." + name)
	for _, arg := range args {
		m.b.WriteString(" " + argument(arg))
	}
	m.b.WriteString("\n")
}

// argument is plain text as an argument of a macro.
func argument(text string) string { return `"` + strings.ReplaceAll(roff(text), `"`, `\(dq`) + `"` }

// roff writes plain text so that roff prints it as it stands. A hyphen is a minus, so
// that a flag can be copied from the page, and " and ' stay as they are.
func roff(text string) string { return roffEscapes.Replace(text) }

var roffEscapes = strings.NewReplacer(
	`\`, `\e`, `-`, `\-`, `'`, `\(aq`, "`", `\(ga`, `^`, `\(ha`, `~`, `\(ti`,
	`…`, `...`, `→`, `\(->`, `—`, `\(em`, `–`, `\(en`, `×`, `\(mu`,
)

// synopsis shows how a command is called.
func (m *manual) synopsis(cmd *cobra.Command) {
	use := strings.Fields(strings.TrimSuffix(cmd.UseLine(), " [flags]"))
	words := len(strings.Fields(cmd.CommandPath()))
	text := []string{`\fB` + roff(strings.Join(use[:words], " ")) + `\fR`}
	if cli.IsGroup(cmd) {
		text = append(text, `\fICOMMAND\fR`)
	}
	if cmd.HasAvailableLocalFlags() {
		text = append(text, `[\fIOPTION\fR ...]`)
	}
	for _, arg := range use[words:] {
		text = append(text, roff(arg))
	}
	m.line(strings.Join(text, " "))
}

// prose writes a text of paragraphs. It keeps indented lines as they are.
func (m *manual) prose(text string) {
	for i, paragraph := range paragraphs(text) {
		if i > 0 { // a heading begins one by itself
			m.macro("PP")
		}
		if isIndented(paragraph) {
			m.verbatim(paragraph)
			continue
		}
		for line := range strings.Lines(paragraph) {
			m.line(roff(strings.TrimSuffix(line, "\n")))
		}
	}
}

// paragraphs cuts a text at its empty lines, and where lines begin or cease to be
// indented.
func paragraphs(text string) []string {
	var all []string
	last, fresh := "", true
	for line := range strings.Lines(text) {
		switch {
		case strings.TrimSpace(line) == "":
			fresh = true
			continue
		case fresh, isIndented(line) != isIndented(last):
			all, fresh = append(all, ""), false
		}
		last = line
		all[len(all)-1] += line
	}
	return all
}

func isIndented(text string) bool {
	return strings.HasPrefix(text, " ") || strings.HasPrefix(text, "\t")
}

// verbatim writes lines as they stand.
func (m *manual) verbatim(text string) {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	indent := len(lines[0])
	for _, line := range lines {
		if strings.TrimSpace(line) != "" {
			indent = min(indent, len(line)-len(strings.TrimLeft(line, " \t")))
		}
	}
	m.macro("RS", "4")
	m.macro("EX")
	for _, line := range lines {
		m.line(roff(line[min(indent, len(line)):]))
	}
	m.macro("EE")
	m.macro("RE")
}

// commands lists the commands and topics below one.
func (m *manual) commands(cmd *cobra.Command) {
	if !cmd.HasAvailableSubCommands() {
		return
	}
	m.macro("SH", "COMMANDS")
	for _, sub := range cmd.Commands() {
		if sub.Hidden || sub.IsAdditionalHelpTopicCommand() {
			continue
		}
		m.macro("TP")
		m.line(`\fB` + roff(sub.Name()) + `\fR`)
		m.line(roff(sub.Short))
	}
}

// options lists the flags, each with its value, its meaning and its default.
func (m *manual) options(cmd *cobra.Command) {
	if !cmd.HasAvailableLocalFlags() || cmd.IsAdditionalHelpTopicCommand() {
		return
	}
	m.macro("SH", "OPTIONS")
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		value, usage := pflag.UnquoteUsage(f)
		name := `\fB` + roff("--"+f.Name) + `\fR`
		if f.Shorthand != "" {
			name = `\fB` + roff("-"+f.Shorthand) + `\fR, ` + name
		}
		switch {
		case f.NoOptDefVal != "" && f.DefValue == "true":
			name += roff("[=false]")
		case f.NoOptDefVal == "":
			name += ` \fI` + roff(value) + `\fR`
		}
		if !slices.Contains([]string{"", "0", "0s", "[]", "false"}, f.DefValue) {
			usage += " (default: " + f.DefValue + ")"
		}
		m.macro("TP")
		m.line(name)
		m.line(roff(usage))
	})
}

// seeAlso names the pages around one.
func (m *manual) seeAlso(cmd *cobra.Command) {
	near := slices.Clone(cmd.Commands())
	if cmd.HasParent() {
		near = append([]*cobra.Command{cmd.Parent()}, near...)
	}
	for _, topic := range cmd.Root().Commands() {
		if topic.IsAdditionalHelpTopicCommand() && topic != cmd && !slices.Contains(near, topic) {
			near = append(near, topic)
		}
	}
	var names []string
	for _, other := range near {
		if !other.Hidden && other.Name() != "help" {
			names = append(names, fmt.Sprintf(`\fB%s\fR(%d)`, roff(pageName(other)), pageSection(other)))
		}
	}
	if len(names) > 0 {
		m.macro("SH", "SEE ALSO")
		m.line(strings.Join(names, ",\n"))
	}
}
