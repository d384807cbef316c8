# The commands of README.md. Each calls a script in tools/, which works without make.
.PHONY: demo build test check format clean
demo:   ; tools/demo
build:  ; tools/deps && tools/build release
test:   build ; tools/run_tests build/release
check:  ; tools/check
format: ; tools/check --fix-format
clean:  ; rm -rf build
