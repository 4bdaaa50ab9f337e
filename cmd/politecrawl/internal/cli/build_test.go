package cli

import (
	"runtime/debug"
	"testing"
)

func TestBuildOf(t *testing.T) {
	info := &debug.BuildInfo{Main: debug.Module{Version: "v1.2.3"}, Settings: []debug.BuildSetting{
		{Key: "vcs.revision", Value: "abc"}, {Key: "vcs.time", Value: "2026-01-02T03:04:05Z"}, {Key: "vcs.modified", Value: "true"},
	}}
	b := buildOf(info, true)
	if want := "politecrawl v1.2.3 (revision abc of 2026-01-02T03:04:05Z, modified), " + b.Go + ", " + b.Platform; b.String() != want {
		t.Errorf("got  %s\nwant %s", b, want)
	}
	if got := buildOf(nil, false).Version; got != "(devel)" {
		t.Errorf("version %q where nothing is known", got)
	}
}
