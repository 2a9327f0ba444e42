// A chat over /v1/chat/completions, streamed. What was said lives in `turns` and on the page, and goes with it.
"use strict";
(() => {
  const form = document.getElementById("ask");
  const list = document.getElementById("talk");
  const empty = document.getElementById("talk-empty");
  const say = document.getElementById("say");
  const send = document.getElementById("send");
  const stop = document.getElementById("stop");
  const trace = document.getElementById("trace");
  const words = form.dataset;
  let turns = [];
  let going = null;

  const bubble = (name, mine) => {
    empty.hidden = true;
    const item = document.createElement("div");
    item.classList.toggle("mine", mine);
    const who = document.createElement("b");
    who.textContent = name;
    const text = document.createElement("p");
    item.append(who, text);
    list.append(item);
    list.scrollTop = list.scrollHeight;
    return { item, text };
  };

  const wrong = (item, text) => {
    const told = document.createElement("p");
    told.className = "wrong";
    told.setAttribute("role", "alert");
    told.textContent = text;
    item.append(told);
    list.scrollTop = list.scrollHeight;
  };

  // The data of each event, as they come.
  async function* events(body) {
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      rest += value.replaceAll("\r", "");
      for (let end = rest.indexOf("\n\n"); end >= 0; end = rest.indexOf("\n\n")) {
        const data = rest.slice(0, end).split("\n").filter((line) => line.startsWith("data:")).map((line) => line.slice(5).trimStart());
        rest = rest.slice(end + 2);
        if (data.length) yield data.join("\n");
      }
    }
  }

  const asked = () => {
    const system = document.getElementById("system").value.trim();
    const heat = document.getElementById("heat").value;
    const most = Number(document.getElementById("most").value);
    return {
      model: document.getElementById("model").value,
      stream: true,
      messages: [...(system ? [{ role: "system", content: system }] : []), ...turns],
      ...(most > 0 ? { max_tokens: most } : {}),
      ...(heat === "" ? {} : { temperature: Number(heat) }),
    };
  };

  const showWay = async (id) => {
    const reply = await fetch(`/ui/playground/trace/${encodeURIComponent(id)}`, { headers: { "hx-request": "true" } });
    if (reply.ok) trace.innerHTML = await reply.text();
    else trace.textContent = words.late;
  };

  const answer = async () => {
    const { item, text } = bubble(words.it, false);
    const key = document.getElementById("key").value.trim();
    const mine = turns; // begun anew meanwhile, they are others
    let whole = "";
    let id = null;
    let thought = null;
    going = new AbortController();
    send.disabled = true;
    stop.disabled = false;
    try {
      const reply = await fetch("/v1/chat/completions", {
        method: "POST",
        credentials: "omit",
        headers: { "content-type": "application/json", "accept-language": document.documentElement.lang, ...(key ? { authorization: `Bearer ${key}` } : {}) },
        body: JSON.stringify(asked()),
        signal: going.signal,
      });
      id = reply.headers.get("x-pointsman-request-id");
      if (!reply.ok) {
        const told = await reply.json().catch(() => null);
        wrong(item, told?.error?.message ?? `${reply.status}`);
        if (reply.status === 401) wrong(item, words.key);
      } else {
        for await (const data of events(reply.body)) {
          if (data === "[DONE]") break;
          const event = JSON.parse(data);
          if (event.error) {
            wrong(item, event.error.message);
            break;
          }
          const delta = event.choices?.[0]?.delta ?? {};
          const thinks = delta.reasoning_content ?? delta.reasoning;
          if (thinks) {
            if (!thought) {
              thought = document.createElement("p");
              thought.className = "thought";
              text.before(thought);
            }
            thought.textContent += thinks;
          }
          if (delta.content) {
            const near = list.scrollHeight - list.scrollTop - list.clientHeight < 40;
            whole += delta.content;
            text.append(delta.content);
            if (near) list.scrollTop = list.scrollHeight;
          }
        }
      }
    } catch (error) {
      wrong(item, error.name === "AbortError" ? words.stopped : words.failed);
    } finally {
      if (whole) mine.push({ role: "assistant", content: whole });
      else mine.pop();
      going = null;
      send.disabled = false;
      stop.disabled = true;
    }
    if (!id) return;
    const way = document.createElement("button");
    way.type = "button";
    way.className = "quiet";
    way.textContent = words.way;
    way.addEventListener("click", () => showWay(id));
    item.append(way);
    list.scrollTop = list.scrollHeight;
    await showWay(id);
  };

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const text = say.value.trim();
    if (!text || going) return;
    bubble(words.you, true).text.textContent = text;
    turns.push({ role: "user", content: text });
    say.value = "";
    answer();
  });
  say.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      form.requestSubmit();
    }
  });
  stop.addEventListener("click", () => going?.abort());
  document.getElementById("anew").addEventListener("click", () => {
    going?.abort();
    turns = [];
    list.replaceChildren();
    empty.hidden = false;
    say.focus();
  });
})();
