package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const (
	mit = "Permission is hereby granted, free of charge, to any person obtaining\na copy of this software and associated documentation files"
	bsd = "Redistribution and use in source and binary forms, with or without\nmodification, are permitted provided that the following conditions are met:"
)

func TestNameOf(t *testing.T) {
	for text, want := range map[string]string{
		"":                           unknown,
		"hello":                      unknown,
		mit:                          "MIT",
		"X\n" + strings.ToUpper(bsd): "BSD-2-Clause",
		bsd + " Neither the name of X may\n be used to endorse or promote products derived from this software without permission":        "BSD-3-Clause",
		"  Apache License\n  Version 2.0, January 2004\n":                                                                                "Apache-2.0",
		"Mozilla Public License Version 2.0, or the GNU General Public License":                                                          "MPL-2.0",
		"Permission to use, copy, modify, and distribute this software for any\npurpose with or without fee is hereby granted, provided": "ISC",
		"This is free and unencumbered software released into the public domain. For any purpose, commercial or non-commercial":          "Unlicense",
		bsd + mit: "BSD-2-Clause+MIT",
		mit + " The Software shall be used for Good, not Evil.": demanding + " (shall be used for good, not evil)",
		"GNU AFFERO GENERAL PUBLIC LICENSE\nVersion 3":          demanding + " (gnu affero general public license)",
		mit + ` "Commons Clause" License Condition`:             demanding + " (commons clause)",
	} {
		got := nameOf(text)
		if got != want {
			t.Errorf("%q is under %q, want %q", text, got, want)
		}
		if free := want != unknown && !strings.HasPrefix(want, demanding); allowed(got) != free {
			t.Errorf("%q is allowed: %t", got, !free)
		}
	}
}

// TestModule holds that a module is under the licence of its files, whatever they are
// called, and that one file that asks for more counts.
func TestModule(t *testing.T) {
	for _, tt := range []struct {
		files map[string]string
		want  string
	}{
		{map[string]string{"LICENSE": mit}, "MIT"},
		{map[string]string{"Licence.txt": mit, "README": "GNU General Public License"}, "MIT"},
		{map[string]string{"COPYING": bsd, "NOTICE": "thanks"}, "BSD-2-Clause"},
		{map[string]string{"NOTICE": mit}, unknown},
		{map[string]string{"main.go": mit}, unknown},
		{map[string]string{"LICENSE": mit, "LICENSE-PARTS": "GNU General Public License"}, demanding + " (gnu general public license)"},
	} {
		m := module{Path: "example.com/m", Version: "v1.2.3", Dir: t.TempDir()}
		for name, text := range tt.files {
			if err := os.WriteFile(filepath.Join(m.Dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		got, err := m.licence()
		if err != nil || got != tt.want {
			t.Errorf("%v: %q, %v, want %q", tt.files, got, err, tt.want)
		}
		var texts strings.Builder
		if err := m.writeTexts(&texts); err != nil {
			t.Error(err)
		}
		for name, text := range tt.files {
			if goes := licenceFile.MatchString(name); goes != strings.Contains(texts.String(), "example.com/m v1.2.3, "+name+"\n\n"+text+"\n") {
				t.Errorf("%s goes along: %t", name, !goes)
			}
		}
	}
}

// TestLinked holds that all that our modules are linked with may be passed on, and that
// DEPENDENCIES.md says of each that one of them asks for itself what for, and under which
// licence.
func TestLinked(t *testing.T) {
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	under, want := make(map[string]string), make(map[string]string)
	for _, module := range []string{".", "robotsext", "crawler/browsertest"} {
		t.Chdir(filepath.Join(root, module))
		var out strings.Builder
		if err := run(t.Context(), &out, false, []string{"linux/amd64", "windows/amd64"}, []string{"-test", "./..."}); err != nil {
			t.Errorf("%s: %v", module, err)
		}
		for line := range strings.Lines(out.String()) {
			words := strings.Fields(line)
			under[words[0]] = words[2]
		}
		for _, path := range required(t) {
			want[path] = under[path]
		}
	}
	if len(under) < 50 || under["std"] != "BSD-3-Clause" {
		t.Errorf("%d modules; the standard library is under %q", len(under), under["std"])
	}
	t.Chdir(root)
	table, err := os.ReadFile("cmd/politecrawl/DEPENDENCIES.md")
	if err != nil {
		t.Fatal(err)
	}
	got := make(map[string]string)
	for _, row := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\| (.{15,}) \\| (\\S+) \\|$").FindAllStringSubmatch(string(table), -1) {
		got[row[1]] = row[3]
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("DEPENDENCIES.md (-go.mod +table):\n%s", diff)
	}
}

// required returns the modules of others that the go.mod here asks for itself.
func required(t *testing.T) []string {
	t.Helper()
	text, err := exec.CommandContext(t.Context(), "go", "mod", "edit", "-json").Output()
	if err != nil {
		t.Fatal(err)
	}
	var mod struct {
		Require []struct {
			Path     string
			Indirect bool
		}
	}
	if err := json.Unmarshal(text, &mod); err != nil {
		t.Fatal(err)
	}
	var paths []string
	for _, r := range mod.Require {
		if !r.Indirect && !strings.HasPrefix(r.Path, "github.com/politecrawl/politecrawl") {
			paths = append(paths, r.Path)
		}
	}
	return paths
}

// TestListRefuses holds that a module is named that may not be passed on.
func TestListRefuses(t *testing.T) {
	var modules []module
	for path, text := range map[string]string{"example.com/free": mit, "example.com/none": "", "example.com/more": "GNU General Public License"} {
		m := module{Path: path, Version: "v1.0.0", Dir: t.TempDir()}
		if err := os.WriteFile(filepath.Join(m.Dir, "LICENSE"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		modules = append(modules, m)
	}
	var out strings.Builder
	err := list(&out, false, modules)
	if err == nil || !strings.Contains(err.Error(), "example.com/none (unknown)") || !strings.Contains(err.Error(), "example.com/more ("+demanding) || strings.Contains(err.Error(), "free (") {
		t.Error(err)
	}
	if strings.Count(out.String(), "\n") != len(modules) {
		t.Errorf("listed: %s", out.String())
	}
}
