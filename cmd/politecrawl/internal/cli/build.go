package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// A Build describes how the program was built.
type Build struct {
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"`
	Modified bool   `json:"modified,omitempty"` // built from a tree that differs from the revision
	Time     string `json:"time,omitempty"`     // of the revision
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

// ReadBuild returns how this program was built.
func ReadBuild() Build { return buildOf(debug.ReadBuildInfo()) }

func buildOf(info *debug.BuildInfo, ok bool) Build {
	b := Build{Version: "(devel)", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
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

func (b Build) String() string {
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
