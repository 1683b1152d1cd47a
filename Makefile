# The front door; CMake and Ninja do the work (CMakePresets.json).
.DEFAULT_GOAL := all
.PHONY: all quick test demo gallery blender-addon check-format format docs fuzz bench install clean help

BUILD  := build
PREFIX ?= /usr/local
SCENE  ?= dam-break
DEMO   := out/demo-$(SCENE)
FUZZ_SECONDS ?= 60
BENCH  ?=

all: ## the release build, leaving build/phyxel
	@tools/build release

quick: ## build with gcc and run the tests that find most mistakes; two minutes at most
	@tools/test --quick

test: ## install what is missing, build with gcc and with the sanitizers of clang, run all tests
	@tools/install-deps
	@tools/test

demo: ## install what is missing, build, make a film of a shipped scene (SCENE=dam-break)
	@tools/install-deps build
	@tools/build release phyxel
	@$(BUILD)/phyxel run scenes/$(SCENE).json -o $(DEMO) --overwrite --film --size 640x360
	@echo
	@echo "The result is in $(DEMO):"
	@echo "  $(DEMO)/film.mp4       the film, made of $(DEMO)/pictures/*.png"
	@echo "  $(DEMO)/frames/*.h5    one HDF5 file for each frame"
	@echo "  $(DEMO)/stats.csv      statistics of each step"
	@echo "To look at it:"
	@echo "  paraview $(DEMO)/frames.xdmf               the animation in ParaView"
	@echo "  build/phyxel info $(DEMO)                  a summary"
	@echo "  build/phyxel export $(DEMO) --to ply       points for Blender (docs/blender.md), ..."

gallery: ## draw the pictures of docs/gallery anew
	@tools/install-deps build
	@tools/build release phyxel
	@tools/gallery

blender-addon: ## the add-on for Blender as a zip to install
	@tools/blender/make-zip $(BUILD)/phyxel-blender.zip

check-format: ## say which files clang-format would change
	@tools/format --check

format: ## let clang-format change them
	@tools/format

docs: ## write the list of files, the table of stats.csv and the schema of scenes in docs
	@tools/list-rooms --write
	@[ ! -x $(BUILD)/phyxel ] || tools/list-stats --write
	@[ ! -x $(BUILD)/phyxel ] || $(BUILD)/phyxel schema >docs/scene.schema.json

fuzz: ## fuzz every reader for FUZZ_SECONDS=60 seconds; findings stay in out/fuzz
	@tools/install-deps
	@tools/build fuzz
	@tools/fuzz $(FUZZ_SECONDS)

bench: all ## time the engine (BENCH=name for one bench)
	@for name in $(or $(BENCH),$$($(BUILD)/phyxel bench | cut -d' ' -f1)); do \
	    echo "== $$name" && $(BUILD)/phyxel bench $$name || exit 1; \
	done

install: ## build what is installed, and install it into PREFIX=/usr/local (DESTDIR is honoured)
	@tools/build release installed
	@cmake --install $(BUILD) --prefix $(PREFIX)

clean: ## remove all that was built; out/ stays
	@rm -rf $(BUILD)

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | expand -t 16
