# Passes on what `go test -bench` prints and after it sets the benchmarks that are
# named .../ours beside those named .../temoto, each with the median of its runs.

{ print }

/^Benchmark.*\/(ours|temoto)(-[0-9]+)?[ \t]/ {
	name = $1
	sub(/^Benchmark/, "", name)
	sub(/-[0-9]+$/, "", name)
	who = name
	sub(/.*\//, "", who)
	sub(/\/[a-z]+$/, "", name)
	if (!(name in known)) {
		known[name]
		names[rows++] = name
	}
	times[name, who, runs[name, who]++] = $3
	for (i = 3; i < NF; i += 2)
		per[name, who, $(i + 1)] = $i
}

END {
	if (rows)
		printf "\n%-28s %10s %10s %7s %9s %10s\n", "", "ours", "temoto", "ratio", "allocs", "of temoto"
	for (r = 0; r < rows; r++) {
		name = names[r]
		ours = median(name, "ours")
		printf "%-28s %10s", name, unit(ours)
		if ((name, "temoto") in runs) {
			temoto = median(name, "temoto")
			printf " %10s %7.1f %9d %10d", unit(temoto), temoto / ours, \
				per[name, "ours", "allocs/op"], per[name, "temoto", "allocs/op"]
		}
		printf "\n"
	}
}

function median(name, who,    i, j, t) {
	for (i = 1; i < runs[name, who]; i++)
		for (j = i; j > 0 && times[name, who, j] + 0 < times[name, who, j - 1] + 0; j--) {
			t = times[name, who, j]
			times[name, who, j] = times[name, who, j - 1]
			times[name, who, j - 1] = t
		}
	return times[name, who, int((runs[name, who] - 1) / 2)]
}

function unit(ns) {
	if (ns < 1e3)
		return sprintf("%.0f ns", ns)
	if (ns < 1e6)
		return sprintf("%.1f us", ns / 1e3)
	return sprintf("%.2f ms", ns / 1e6)
}
