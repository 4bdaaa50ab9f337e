package main

import (
	"slices"
	"strings"
)

// A licence is known by phrases that its text has, all of them, in lower case and with
// single spaces.
type licence struct {
	name    string // of the SPDX list
	phrases []string
}

// licences are those that may be passed on. If two begin with the same
// phrase, the one with more phrases comes first.
var licences = []licence{
	{"Apache-2.0", []string{"apache license", "version 2.0, january 2004"}},
	{"MPL-2.0", []string{"mozilla public license", "version 2.0"}},
	{"BSD-3-Clause", []string{
		"redistribution and use in source and binary forms, with or without modification, are permitted",
		"be used to endorse or promote products derived from this software without",
	}},
	{"BSD-2-Clause", []string{"redistribution and use in source and binary forms, with or without modification, are permitted"}},
	{"Unlicense", []string{"this is free and unencumbered software released into the public domain"}},
	{"CC0-1.0", []string{"cc0 1.0 universal"}},
	{"MIT", []string{"permission is hereby granted, free of charge, to any person obtaining a copy of this software"}},
	{"ISC", []string{"permission to use, copy, modify, and/or distribute this software for any purpose with or without fee is hereby granted"}},
	{"ISC", []string{"permission to use, copy, modify, and distribute this software for any purpose with or without fee is hereby granted"}},
}

// foreign are phrases of licences, and of additions to licences, that ask for more than
// that their text goes along.
var foreign = []string{
	"gnu general public license", "gnu lesser general public license", "gnu affero general public license", "server side public license",
	"business source license", "commons clause", "elastic license", "eclipse public license", "noncommercial", "non-commercial",
	"shall be used for good, not evil",
}

// The names of a text that has none of the licences.
const (
	unknown   = "unknown"
	demanding = "more than may be"
)

// nameOf is the name of the licences in a text, by a plus where there are several.
func nameOf(text string) string {
	text = strings.Join(strings.Fields(strings.ToLower(text)), " ")
	text = strings.ReplaceAll(text, "commercial or non-commercial", "") // any purpose
	for _, phrase := range foreign {
		// The MPL names the GNU licences as ones that it goes together with.
		if strings.Contains(text, phrase) && !strings.Contains(text, "mozilla public license") {
			return demanding + " (" + phrase + ")"
		}
	}
	var names []string
	for _, l := range licences {
		if slices.ContainsFunc(names, func(name string) bool { return name[:3] == l.name[:3] }) {
			continue
		}
		if !slices.ContainsFunc(l.phrases, func(phrase string) bool { return !strings.Contains(text, phrase) }) {
			names = append(names, l.name)
		}
	}
	if len(names) == 0 {
		return unknown
	}
	return strings.Join(names, "+")
}

// allowed reports whether the program may be passed on under all licences in a name.
func allowed(name string) bool {
	known := allowedNames()
	return !slices.ContainsFunc(strings.Split(name, "+"), func(one string) bool { return !slices.Contains(known, one) })
}

func allowedNames() []string {
	var names []string
	for _, l := range licences {
		names = append(names, l.name)
	}
	return slices.Compact(names)
}
