package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// A build is what the program knows of its own making.
type build struct {
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"`
	Modified bool   `json:"modified,omitempty"` // built from a tree that differs from the revision
	Time     string `json:"time,omitempty"`     // of the revision
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

func (p *program) versionCommand() *cobra.Command {
	var format outputFormat
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Version, revision and Go version of this program",
		Args:  arguments(0, 0, ""),
		RunE: func(*cobra.Command, []string) error {
			b := buildOf(debug.ReadBuildInfo())
			if format == formatJSON {
				return p.printJSON(b)
			}
			return p.print(b.String() + "\n")
		},
	}
	format.flag(cmd)
	return cmd
}

func buildOf(info *debug.BuildInfo, ok bool) build {
	b := build{Version: "(devel)", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	if !ok {
		return b
	}
	if info.Main.Version != "" {
		b.Version = info.Main.Version
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Revision = s.Value
		case "vcs.modified":
			b.Modified = s.Value == "true"
		case "vcs.time":
			b.Time = s.Value
		}
	}
	return b
}

func (b build) String() string {
	text := "politecrawl " + b.Version
	if b.Revision != "" {
		text += fmt.Sprintf(" (revision %s of %s", b.Revision, b.Time)
		if b.Modified {
			text += ", modified"
		}
		text += ")"
	}
	return text + fmt.Sprintf(", %s, %s", b.Go, b.Platform)
}
