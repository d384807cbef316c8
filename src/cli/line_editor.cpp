#include "cli/line_editor.hpp"

#include <fcntl.h>
#include <histedit.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <utility>

namespace weft::cli {

namespace {

constexpr int kHistoryEntries = 5000;

}  // namespace

struct LineEditor::State {
  State(std::filesystem::path path, InterruptWatch& watch) : history_path(std::move(path)), interrupts(watch) {}

  std::filesystem::path history_path;
  InterruptWatch& interrupts;
  EditLine* editor = nullptr;
  History* history = nullptr;
  std::string prompt;
  bool interrupted = false;
  // Ctrl-C throws away what was typed, also between poll() and read(): a blocking read would then wait for ever. This
  // is the terminal opened anew, so that O_NONBLOCK is nobody else's.
  int input = open("/proc/self/fd/0", O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);

  static State& of(EditLine* editor) {
    void* data = nullptr;
    el_get(editor, EL_CLIENTDATA, &data);
    return *static_cast<State*>(data);
  }
  static char* prompt_of(EditLine* editor) { return of(editor).prompt.data(); }

  /// libedit's reader of one character: 1, 0 at the end of input, -1 to give up the line.
  static int read_character(EditLine* editor, wchar_t* character) {
    State& state = of(editor);
    unsigned char first = 0;
    // A Ctrl-D that was typed before the prompt came arrives as a zero byte, which libedit would take into the line.
    while (first == 0) {
      if (int status = state.read_byte(first); status != 1) return status;
    }
    const int bytes = first < 0xC0 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    wchar_t code = bytes == 1 ? first : static_cast<wchar_t>(first & (0xFF >> (bytes + 1)));
    for (int i = 1; i < bytes; ++i) {
      unsigned char byte = 0;
      if (int status = state.read_byte(byte); status != 1) return status;
      code = static_cast<wchar_t>((code << 6) | (byte & 0x3F));
    }
    *character = code;
    return 1;
  }

  int read_byte(unsigned char& byte) {
    std::array<pollfd, 2> fds = {{{input, POLLIN, 0}, {interrupts.wake_fd(), POLLIN, 0}}};
    for (;;) {
      if (poll(fds.data(), fds.size(), -1) < 0) {
        if (errno == EINTR) continue;
        return -1;
      }
      if (fds[1].revents != 0 && interrupts.take()) {
        interrupted = true;
        return -1;
      }
      if (fds[0].revents == 0) continue;
      const ssize_t got = ::read(input, &byte, 1);
      if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
      return got == 1 ? 1 : 0;
    }
  }
};

LineEditor::LineEditor(std::filesystem::path history, InterruptWatch& interrupts)
    : state_(std::make_unique<State>(std::move(history), interrupts)) {
  State& state = *state_;
  if (state.input < 0) throw Exception(ErrorCode::IoError, "the terminal cannot be opened for reading");
  state.history = history_init();
  HistEvent event;
  ::history(state.history, &event, H_SETSIZE, kHistoryEntries);
  ::history(state.history, &event, H_SETUNIQUE, 1);
  if (std::filesystem::exists(state.history_path)) {
    ::history(state.history, &event, H_LOAD, state.history_path.c_str());
  }
  state.editor = el_init("weft", stdin, stdout, stderr);
  el_set(state.editor, EL_CLIENTDATA, &state);
  el_set(state.editor, EL_PROMPT, &State::prompt_of);
  el_set(state.editor, EL_GETCFN, &State::read_character);
  el_set(state.editor, EL_EDITOR, "emacs");
  el_set(state.editor, EL_HIST, ::history, state.history);
  el_set(state.editor, EL_SIGNAL, 0);
  el_set(state.editor, EL_BIND, "^R", "em-inc-search-prev", nullptr);
  el_source(state.editor, nullptr);
}

LineEditor::~LineEditor() {
  HistEvent event;
  if (!state_->history_path.empty()) history(state_->history, &event, H_SAVE, state_->history_path.c_str());
  el_end(state_->editor);
  history_end(state_->history);
  close(state_->input);
}

LineEditor::Outcome LineEditor::read(std::string_view prompt, std::string& line) {
  state_->prompt = prompt;
  state_->interrupted = false;
  int count = 0;
  const char* text = el_gets(state_->editor, &count);
  if (state_->interrupted) return Outcome::Interrupted;
  if (text == nullptr || count <= 0) return Outcome::End;
  line.assign(text, static_cast<size_t>(count));
  return Outcome::Line;
}

void LineEditor::remember(std::string_view statement) {
  std::string entry(statement);
  while (!entry.empty() && (entry.back() == '\n' || entry.back() == ' ')) entry.pop_back();
  if (entry.empty()) return;
  // One line is easier to edit; a line comment would swallow what follows it.
  if (entry.find("--") == std::string::npos) {
    for (char& c : entry) c = c == '\n' ? ' ' : c;
  }
  HistEvent event;
  history(state_->history, &event, H_ENTER, entry.c_str());
}

}  // namespace weft::cli
