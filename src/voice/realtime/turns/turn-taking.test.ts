/** The decisions of turn-taking, frame by frame: "#" is a frame of speech, "." one without; each sample is the number of its frame. */
import { expect, test } from 'vitest'
import fc from '../../../../tests/harness/fast-check.ts'
import type { TurnDetection } from '../parts.ts'
import type { CallerTurn, Pause } from './turn-listener.ts'
import { TurnTaking } from './turn-taking.ts'

const byWords: TurnDetection = {
  type: 'semantic_vad',
  silenceMs: undefined,
  prefixMs: 300,
  threshold: 0.5,
  createResponse: true,
  interruptResponse: true,
  idleMs: undefined,
}
const bySilence: TurnDetection = { ...byWords, type: 'server_vad' }

/** A call whose voice is a script. The calls of its listener are in `told`, each with the number of frames before it. */
class ScriptedCall implements Disposable {
  readonly told: string[] = []
  readonly turns: CallerTurn[] = []
  readonly pauses: Pause[] = []
  readonly voices: object[] = []
  readonly taking: TurnTaking
  frames = 0
  #isVoiced = false

  constructor(detection: TurnDetection | null = byWords) {
    const tell = (what: string): void => void this.told.push(`${this.frames} ${what}`)
    this.taking = new TurnTaking(
      detection,
      {
        started: ({ number, startMs }) => tell(`started ${number} at ${startMs}`),
        paused: (pause) => {
          this.pauses.push(pause)
          tell(`paused ${pause.number}`)
        },
        resumed: (pause) => tell(`resumed ${pause}`),
        ended: (turn) => {
          this.turns.push(turn)
          tell(`ended ${turn.number} ${turn.reason}`)
        },
        withdrawn: (turn) => tell(`withdrawn ${turn}`),
        duck: () => tell('duck'),
        unduck: () => tell('unduck'),
        interrupted: () => tell('interrupted'),
        idle: () => tell('idle'),
      },
      {
        next: () => ({ isVoiced: this.#isVoiced }),
        set: (options) => void this.voices.push(options),
        [Symbol.dispose]: () => tell('closed'),
      },
    )
  }

  /** @param script such as ".50 #10 .5" */
  hear(script: string): this {
    for (const part of script.split(' '))
      for (let left = Number(part.slice(1) || 1); left > 0; left--) {
        this.#isVoiced = part[0] === '#'
        const frame = new Float32Array(320).fill(this.frames++)
        this.taking.write(frame)
        frame.fill(-1)
      }
    return this
  }

  /** The calls of the listener since the last read. */
  get news(): string[] {
    return this.told.splice(0)
  }

  [Symbol.dispose](): void {
    this.taking[Symbol.dispose]()
  }
}

/** The numbers of the frames that these samples come from. */
const framesIn = (samples: Float32Array): number[] =>
  Array.from({ length: samples.length / 320 }, (_, at) => samples[320 * at]!)
const range = (from: number, until: number): number[] =>
  Array.from({ length: until - from }, (_, at) => from + at)

test('speech begins with three voiced frames of four, and with the sound before them', () => {
  using call = new ScriptedCall()
  expect(call.hear('.50 #2 .2 # . # .20').news).toEqual([])
  expect(call.hear('#2 .').news).toEqual([])
  expect(call.hear('#').news).toEqual(['81 started 1 at 1240'])
  call.hear('.5')
  expect(framesIn(call.pauses[0]!.samples)).toEqual(range(62, 86))
  expect(call.pauses[0]).toMatchObject({ number: 1, turn: 1, startMs: 1_240, untilMs: 1_720 })
})

test('an early transcription may start after 100 ms; 100 ms more of speech leave it as good as it was, and 120 do not', () => {
  using call = new ScriptedCall()
  call.hear('#20')
  expect(call.news).toEqual(['3 started 1 at 0'])
  expect(call.hear('.4').news).toEqual([])
  expect(call.hear('.').news).toEqual(['25 paused 1'])
  expect(call.hear('#5 .5').news).toEqual([])
  expect(call.hear('#').news).toEqual([])
  expect(call.hear('#2 .5').news).toEqual(['38 resumed 1', '43 paused 2'])
  expect(call.hear('.25').news).toEqual([])
  expect(call.hear('.5').news).toEqual(['73 ended 1 silence'])
  expect(call.turns[0]).toMatchObject({ pause: 2, startMs: 0, endMs: 760 })
  expect(framesIn(call.turns[0]!.samples)).toEqual(range(0, 48))
})

test.each([
  ['sure', 'ساعت چند است', 13],
  ['brief', 'بله', 25],
  ['neutral', 'برای فردا ساعت', 50],
  ['open', 'فردا می‌آیم و', 70],
])('after words whose end is %s the turn is over after so many frames of silence', (_, words, frames) => {
  using call = new ScriptedCall()
  call.hear('#20 .5')
  call.taking.addTranscript(1, words, call.pauses[0]!.untilMs)
  call.hear(`.${frames - 6}`)
  expect(call.turns).toEqual([])
  call.hear('.')
  expect(call.turns).toMatchObject([{ transcript: words, pause: 1, reason: 'words', endMs: 400 }])
})

test('words that come later than their wait end the turn at once, and those of another turn or of less sound change nothing', () => {
  using call = new ScriptedCall()
  call.hear('#20 .20')
  call.taking.addTranscript(2, 'ساعت چند است')
  call.taking.addTranscript(1, 'ساعت چند است', 200)
  expect(call.turns).toEqual([])
  call.taking.addTranscript(1, 'ساعت چند است', 400)
  expect(call.turns.length).toBe(1)
  call.taking.addTranscript(1, 'ساعت چند است')
  call.hear('.200')
  expect(call.turns.length).toBe(1)
})

test('after a question of the assistant a noun is an answer', () => {
  using call = new ScriptedCall()
  call.taking.setAssistantSentence('برای چه روزی؟')
  call.hear('#20 .5')
  call.taking.addTranscript(1, 'برای شنبه صبح')
  call.hear('.19')
  expect(call.turns).toEqual([])
  call.hear('.')
  expect(call.turns).toMatchObject([{ reason: 'words' }])
})

test.each([
  [bySilence, 25],
  [{ ...bySilence, silenceMs: 100 }, 5],
  [{ ...bySilence, silenceMs: 810 }, 41],
  [{ ...byWords, silenceMs: 300 }, 15],
])('where silence decides, words change nothing: %o ends after %i frames', (detection, frames) => {
  using call = new ScriptedCall(detection)
  call.hear('#20 .3')
  call.taking.addTranscript(1, 'ساعت چند است')
  call.hear(`.${frames - 4}`)
  expect(call.turns).toEqual([])
  call.hear('.')
  expect(call.turns).toMatchObject([{ reason: 'silence' }])
  expect(call.hear('.10 #20').news.at(-1)).toContain('started 2')
})

test('who goes on within 700 ms of the end, before the answer is heard, takes the turn back with all of its sound', () => {
  using call = new ScriptedCall()
  call.hear('#20 .5')
  call.taking.addTranscript(1, 'نامه را هنوز ننوشتم')
  expect(call.hear('.8').news.at(-1)).toBe('33 ended 1 words')
  const samples = call.turns[0]!.samples
  expect(framesIn(samples)).toEqual(range(0, 30))
  call.taking.setAssistantSpeaking(true)
  expect(call.hear('.9 #5').news).toEqual([])
  expect(call.hear('#').news).toEqual(['48 withdrawn 1'])
  call.taking.setAssistantSpeaking(false)
  expect(call.hear('#10 .5').news).toEqual(['63 paused 2'])
  call.taking.addTranscript(1, 'نامه را هنوز ننوشتم کجا بفرستم')
  expect(call.hear('.8').news).toEqual(['71 ended 1 words'])
  expect(framesIn(call.turns[1]!.samples)).toEqual(range(0, 68))
  expect(framesIn(samples)).toEqual(range(0, 30))
})

test('100 ms of sound after the end are nothing; what begins after 700 ms, or once 300 ms of the answer were heard, is new', () => {
  using call = new ScriptedCall()
  const speak = (): void => {
    call.hear('#20 .5')
    call.taking.addTranscript(
      Number(call.told.findLast((one) => one.includes('started'))!.split(' ')[2]),
      'ساعت چند است',
    )
    call.hear('.8')
  }
  speak()
  call.news
  expect(call.hear('#5 .5 .10').news).toEqual([])
  expect(call.hear('.20 #3').news.map((one) => one.split(' ')[1])).toEqual(['started'])
  call.taking.clear()
  call.hear('.50')
  speak()
  call.taking.setAssistantSpeaking(true)
  call.news
  call.hear('.10 #6')
  expect(call.news).toEqual([])
  call.hear('#')
  expect(call.news.map((one) => one.split(' ')[1])).toEqual(['duck'])
})

test('without an answer to withdraw an end is an end', () => {
  using call = new ScriptedCall({ ...byWords, createResponse: false })
  call.hear('#20 .5')
  call.taking.addTranscript(1, 'نامه را هنوز ننوشتم')
  call.hear('.8 .5 #10')
  expect(call.news.at(-1)).toContain('started 2')
})

test('who interrupts in words cuts the assistant off: 80 ms lower its voice, 500 ms ask for their words', () => {
  using call = new ScriptedCall()
  call.taking.setAssistantSpeaking(true)
  call.hear('.50 #3')
  expect(call.news).toEqual([])
  expect(call.hear('#').news).toEqual(['54 duck'])
  expect(call.hear('#21').news).toEqual(['75 paused 1'])
  call.taking.addTranscript(1, 'نه صبر کن', call.pauses[0]!.untilMs)
  expect(call.news).toEqual(['75 interrupted', '75 started 1 at 700'])
  call.hear('#10 .5')
  call.taking.addTranscript(1, 'نه صبر کن')
  call.hear('.8')
  expect(call.turns).toMatchObject([{ number: 1, startMs: 700, transcript: 'نه صبر کن' }])
})

test('"yes, yes" and a noise let the assistant speak on', () => {
  for (const words of ['آره آره', '']) {
    using call = new ScriptedCall()
    call.taking.setAssistantSpeaking(true)
    expect(call.hear('.50 #15 .5').news).toEqual(['54 duck', '70 paused 1'])
    call.taking.addTranscript(1, words)
    expect(call.news).toEqual(['70 unduck'])
    expect(call.hear('.200').news).toEqual([])
    call.taking.setAssistantSpeaking(false)
    expect(call.turns).toEqual([])
  }
})

test('less than 200 ms of voice are not transcribed, and lower it until 200 ms behind them; who goes on lowers it anew', () => {
  using call = new ScriptedCall()
  call.taking.setAssistantSpeaking(true)
  expect(call.hear('.50 #9 .9').news).toEqual(['54 duck'])
  expect(call.hear('.').news).toEqual(['69 unduck'])
  expect(call.hear('.10 #3').news).toEqual(['82 duck'])
  expect(call.hear('.5').news).toEqual(['87 paused 1'])
  call.taking.addTranscript(1, 'نه')
  expect(call.news[0]).toBe('87 interrupted')
})

test('700 ms of "yes" are more than listening', () => {
  for (const [frames, what] of [
    [34, 'unduck'],
    [35, 'interrupted'],
  ] as const) {
    using call = new ScriptedCall()
    call.taking.setAssistantSpeaking(true)
    call.hear(`#${frames} .5`)
    call.taking.addTranscript(1, 'آره')
    expect(call.news.find((one) => /unduck|interrupted/.test(one))).toContain(what)
  }
})

test('where nothing was transcribed in 1.2 s the assistant speaks on, and words that come later interrupt it', () => {
  using call = new ScriptedCall()
  call.taking.setAssistantSpeaking(true)
  call.hear('#15 .5 .43')
  call.news
  expect(call.hear('.').news).toEqual(['64 unduck'])
  call.hear('.50')
  call.taking.addTranscript(1, 'صبر کن')
  call.hear('.')
  expect(call.news.map((one) => one.split(' ')[1])).toEqual(['interrupted', 'started', 'ended'])
})

test('an answer given into the last words of the assistant is a turn', () => {
  using call = new ScriptedCall()
  call.taking.setAssistantSpeaking(true)
  call.taking.setAssistantSentence('درست است؟')
  call.hear('#15 .5')
  call.taking.addTranscript(1, 'بله')
  call.hear('.10')
  call.news
  call.taking.setAssistantSpeaking(false)
  expect(call.news).toEqual(['30 started 1 at 0'])
  call.hear('.10')
  expect(call.turns).toMatchObject([{ transcript: 'بله', reason: 'words' }])
})

test('who may not interrupt is heard as ever', () => {
  using call = new ScriptedCall({ ...byWords, interruptResponse: false })
  call.taking.setAssistantSpeaking(true)
  expect(call.hear('.50 #30').news).toEqual(['53 started 1 at 700'])
})

test('while the assistant speaks, speech has to be louder and clearer', () => {
  using call = new ScriptedCall({ ...byWords, threshold: 1 })
  call.taking.setAssistantSpeaking(true)
  call.taking.setAssistantSpeaking(true)
  call.taking.setAssistantSpeaking(false)
  expect(call.voices).toEqual([
    { strictness: 2, aboveNoise: 13 },
    { strictness: 3, aboveNoise: 19 },
    { strictness: 2, aboveNoise: 13 },
  ])
})

test('after 60 s a turn is over, and who speaks on begins the next without a gap', () => {
  using call = new ScriptedCall()
  call.hear('#2999')
  expect(call.turns).toEqual([])
  call.hear('#')
  expect(call.turns).toMatchObject([{ number: 1, reason: 'limit', startMs: 0, endMs: 60_000 }])
  expect(call.news.at(-1)).toBe('3000 started 2 at 60000')
  call.hear('#10 .35')
  expect(framesIn(call.turns[1]!.samples)).toEqual(range(3_000, 3_020))
})

test('a client that decides by itself gets all that came since it did last, the newest 60 s of it', () => {
  using call = new ScriptedCall(null)
  call.hear('#20 .100')
  expect(call.taking.commit()).toBe(true)
  expect(call.turns).toMatchObject([{ number: 1, startMs: 0, endMs: 2_400, reason: 'client' }])
  expect(framesIn(call.turns[0]!.samples)).toEqual(range(0, 120))
  call.hear('.4')
  expect(call.taking.commit()).toBe(false)
  call.hear('.')
  expect(call.taking.commit()).toBe(true)
  expect(framesIn(call.turns[1]!.samples)).toEqual(range(120, 125))
  call.hear('.3000')
  call.hear('.75')
  expect(call.taking.commit()).toBe(true)
  const kept = framesIn(call.turns[2]!.samples)
  expect(kept).toEqual(range(3_200 - kept.length, 3_200))
  expect(kept.length).toBeGreaterThan(2_949)
  call.hear('.50')
  call.taking.clear()
  expect(call.taking.commit()).toBe(false)
  expect(call.news.length).toBe(3)
})

test('a client may end or discard what is being said, and take the decision over in the middle', () => {
  using call = new ScriptedCall()
  expect(call.taking.commit()).toBe(false)
  call.hear('#20')
  expect(call.taking.commit()).toBe(true)
  expect(call.turns).toMatchObject([{ number: 1, reason: 'client', endMs: 400 }])
  call.hear('#20')
  call.taking.clear()
  call.hear('.200')
  expect(call.turns.length).toBe(1)
  call.hear('#20')
  call.taking.update(null)
  call.hear('.200')
  expect(call.taking.commit()).toBe(true)
  expect(framesIn(call.turns[1]!.samples).slice(-220)).toEqual(range(240, 460))
})

test('nobody says anything: that is told once, counted from the end of what the assistant said', () => {
  using call = new ScriptedCall({ ...byWords, idleMs: 5_000 })
  expect(call.hear('.600').news).toEqual([])
  call.taking.setAssistantSpeaking(true)
  call.hear('.600')
  call.taking.setAssistantSpeaking(false)
  expect(call.hear('.249').news).toEqual([])
  expect(call.hear('.').news).toEqual(['1450 idle'])
  expect(call.hear('.600').news).toEqual([])
  call.taking.setAssistantSpeaking(true)
  call.taking.setAssistantSpeaking(false)
  call.hear('.100 #20 .600')
  expect(call.news.filter((one) => one.includes('idle'))).toEqual([])
})

test('a frame of another length is refused', () => {
  using call = new ScriptedCall()
  expect(() => call.taking.write(new Float32Array(321))).toThrow('321')
})

const saying = fc.oneof(
  fc.record({
    kind: fc.constant('frames' as const),
    voiced: fc.boolean(),
    count: fc.integer({ min: 1, max: 90 }),
  }),
  fc.record({
    kind: fc.constant('long' as const),
    voiced: fc.boolean(),
    count: fc.integer({ min: 1_000, max: 3_300 }),
  }),
  fc.record({
    kind: fc.constant('words' as const),
    text: fc.constantFrom('', 'بله', 'ساعت چند است', 'من رفتم و', 'برای فردا', 'wait'),
    back: fc.integer({ min: 0, max: 3 }),
    ago: fc.option(fc.integer({ min: 0, max: 800 }), { nil: undefined }),
  }),
  fc.record({ kind: fc.constant('assistant' as const), speaks: fc.boolean() }),
  fc.record({ kind: fc.constant('commit' as const) }),
)
type ScriptStep = typeof saying extends fc.Arbitrary<infer T> ? T : never

function play(call: ScriptedCall, one: ScriptStep): void {
  if (one.kind === 'frames' || one.kind === 'long') call.hear(`${one.voiced ? '#' : '.'}${one.count}`)
  else if (one.kind === 'assistant') call.taking.setAssistantSpeaking(one.speaks)
  else if (one.kind === 'commit') call.taking.commit()
  else {
    const turn = Number(call.told.findLast((line) => line.includes('started'))?.split(' ')[2] ?? 0)
    call.taking.addTranscript(
      turn + 1 - one.back,
      one.text,
      one.ago === undefined ? undefined : 20 * call.frames - one.ago,
    )
  }
}

test('whatever is heard: no turn ends twice, no sample is lost, changed or in two turns, and none has more than 60 s', () => {
  fc.assert(
    fc.property(
      fc.array(saying, { maxLength: 40 }),
      fc.constantFrom(
        byWords,
        bySilence,
        { ...byWords, interruptResponse: false },
        { ...byWords, createResponse: false },
      ),
      (script, detection) => {
        using call = new ScriptedCall(detection)
        for (const one of script) play(call, one)
        call.hear('.100')
        const open = new Set<number>()
        for (const line of call.told) {
          const [, what, number] = line.split(' ')
          if (what === 'started' || what === 'withdrawn') {
            expect(open.size).toBe(0)
            open.add(Number(number))
          }
          if (what === 'ended') expect(open.delete(Number(number))).toBe(true)
        }
        expect(open.size).toBe(0)
        const last = new Map(call.turns.map((turn) => [turn.number, turn]))
        let until = 0
        for (const { samples, startMs, endMs } of last.values()) {
          const frames = framesIn(samples)
          expect(frames).toEqual(range(startMs / 20, startMs / 20 + frames.length))
          expect(frames.length).toBeLessThanOrEqual(3_000)
          expect(startMs / 20).toBeGreaterThanOrEqual(until)
          expect(frames.at(-1)! + 1).toBeGreaterThanOrEqual(endMs / 20)
          until = frames.at(-1)! + 1
        }
        const lowered = call.told.filter((line) => line.endsWith(' duck')).length
        const raised = call.told.filter((line) => /unduck|interrupted/.test(line)).length
        expect(raised).toBeLessThanOrEqual(
          lowered + call.told.filter((line) => line.endsWith('interrupted')).length,
        )
      },
    ),
    { numRuns: 60 },
  )
})

test('a commit right after a turn of 60 s ends no turn without sound: speech that goes on is in the next one', () => {
  using call = new ScriptedCall(bySilence)
  call.hear('#3000')
  expect(call.taking.commit()).toBe(false)
  call.hear('#10 .100')
  expect(call.turns.map(({ samples }) => framesIn(samples).length > 0)).toEqual([true, true])
  expect(call.told.filter((line) => line.includes('started')).length).toBe(2)
})

test('all that is spoken without the assistant is in a turn', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.boolean(), fc.integer({ min: 5, max: 120 })), { maxLength: 30 }),
      (script) => {
        using call = new ScriptedCall({ ...byWords, createResponse: false })
        const voiced: number[] = []
        for (const [isVoiced, count] of script) {
          if (isVoiced) voiced.push(...range(call.frames, call.frames + count))
          call.hear(`${isVoiced ? '#' : '.'}${count}`)
        }
        call.hear('.100')
        const taken = new Set(call.turns.flatMap(({ samples }) => framesIn(samples)))
        expect(voiced.filter((frame) => !taken.has(frame))).toEqual([])
      },
    ),
    { numRuns: 60 },
  )
})
