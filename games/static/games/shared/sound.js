/* Small sounds made by the browser itself, and a short buzz on phones. Nothing is loaded. */

let context = null;

/** A browser lets a page make sounds only after a touch or a key, so the first one opens the context. */
function open() {
  context ??= new AudioContext();
  if (context.state === "suspended") context.resume();
}
addEventListener("pointerdown", () => context && open());
addEventListener("keydown", () => context && open());

function tone(frequency, start, length, volume) {
  const at = context.currentTime + start;
  const oscillator = new OscillatorNode(context, { type: "triangle", frequency });
  const gain = new GainNode(context, { gain: 0 });
  gain.gain.linearRampToValueAtTime(volume, at + 0.012);
  gain.gain.exponentialRampToValueAtTime(0.0001, at + length);
  oscillator.connect(gain).connect(context.destination);
  oscillator.start(at);
  oscillator.stop(at + length + 0.05);
}

function card() {
  const length = Math.floor(context.sampleRate * 0.045);
  const buffer = context.createBuffer(1, length, context.sampleRate);
  const samples = buffer.getChannelData(0);
  for (let i = 0; i < length; i += 1) samples[i] = (Math.random() * 2 - 1) * (1 - i / length) ** 3;
  const source = new AudioBufferSourceNode(context, { buffer });
  const filter = new BiquadFilterNode(context, { type: "bandpass", frequency: 1800, Q: 0.7 });
  source
    .connect(filter)
    .connect(new GainNode(context, { gain: 0.25 }))
    .connect(context.destination);
  source.start();
}

const SOUNDS = {
  turn() {
    tone(659, 0, 0.22, 0.16);
    tone(988, 0.12, 0.34, 0.14);
  },
  card,
  trick() {
    tone(392, 0, 0.16, 0.1);
  },
};

export function play(name) {
  try {
    open();
    SOUNDS[name]();
  } catch {
    // A browser without sound plays without.
  }
}

/** Browsers refuse to vibrate before the first touch, and say so in the console. */
export const buzz = (milliseconds) => navigator.userActivation?.hasBeenActive && navigator.vibrate?.(milliseconds);
