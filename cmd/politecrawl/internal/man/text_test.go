package man

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
)

// TestManText holds that plain text comes out of roff as it went in.
func TestManText(t *testing.T) {
	cmd := &cobra.Command{
		Use: "try FILE…", Short: `a \ and a "quote"`, Run: func(*cobra.Command, []string) {},
		Long:    "First, *.html and <b>_x_</b>.\n.TH is no macro here.\n'nor this\n\n    indented:  a\\n\n      more\nSecond ~ ^ ` it's.",
		Example: "  try --flag x\n  try -",
	}
	cmd.Flags().String("with-value", "d f", "the `THING`'s value")
	cmd.Flags().Bool("on", true, "is on")
	cmd.Flags().Bool("off", false, "is off")
	want := `.TH "TRY" "1" "" "v1" "Politecrawl Manual"
.nh
.ad l
.SH "NAME"
try \- a \e and a "quote"
.SH "SYNOPSIS"
\fBtry\fR [\fIOPTION\fR ...] FILE...
.SH "DESCRIPTION"
First, *.html and <b>_x_</b>.
\&.TH is no macro here.
\(aqnor this
.PP
.RS "4"
.EX
indented:  a\en
  more
.EE
.RE
.PP
Second \(ti \(ha \(ga it\(aqs.
.SH "OPTIONS"
.TP
\fB\-\-off\fR
is off
.TP
\fB\-\-on\fR[=false]
is on (default: true)
.TP
\fB\-\-with\-value\fR \fITHING\fR
the THING\(aqs value (default: d f)
.SH "EXAMPLES"
.RS "4"
.EX
try \-\-flag x
try \-
.EE
.RE
`
	if diff := cmp.Diff(want, manualText(cmd, "", "v1")); diff != "" {
		t.Error(diff)
	}
}
