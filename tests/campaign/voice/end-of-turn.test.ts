/** What the end of a turn by words is worth: on sixty spoken turns, over noise of three levels, against 500 ms of silence. Time is counted in frames. */
import { describe, expect, test } from 'vitest'
// Nothing of it is reachable over HTTP frame by frame: a real call would measure its own delays.
import type { CallerTurn, TurnListener } from '../../../src/voice/realtime/turns/turn-listener.ts'
import { TurnTaking } from '../../../src/voice/realtime/turns/turn-taking.ts'
import { hasEspeak, type Spoken, spoken } from '../../harness/spoken.ts'
import { type SpokenTurn, spokenTurns } from '../../voice/turns/spoken-turns.ts'

const frameMs = 20
const frameSamples = 320
/** From a pause to its words. */
const transcriptionFrames = 8
/** Early transcriptions of a turn. */
const maxEarly = 8

const byWords = {
  type: 'semantic_vad',
  silenceMs: undefined,
  prefixMs: 300,
  threshold: 0.5,
  createResponse: true,
  interruptResponse: true,
  idleMs: undefined,
} as const
const bySilence = { ...byWords, type: 'server_vad', silenceMs: 500 } as const

/** The words without their marks, each with the end of its sound by its share of the stretch. */
function timedWords({ stretches }: Spoken): { word: string; untilMs: number }[] {
  return stretches.flatMap(({ words, fromMs, untilMs }) => {
    const list = words
      .replace(/[.،؟!?,؛:…]/g, ' ')
      .split(/\s+/)
      .filter(Boolean)
    const letters = list.join('').length
    let said = 0
    return list.map((word) => {
      said += word.length
      return { word, untilMs: fromMs + ((untilMs - fromMs) * said) / letters }
    })
  })
}

const nothing = (): void => undefined

/** When the turn was taken to be over for the first time, from the end of its last word; negative: it was cut. */
async function waitOf(
  turn: SpokenTurn,
  noiseDb: number,
  detection: typeof byWords | typeof bySilence,
): Promise<number> {
  const sound = await spoken(turn.says, { noiseDb })
  const words = timedWords(sound)
  const known = (ms: number): string =>
    words
      .filter(({ untilMs }) => untilMs <= ms + frameMs)
      .map(({ word }) => word)
      .join(' ')
  const due: { atFrame: number; turn: number; untilMs: number }[] = []
  let frame = 0
  let early = 0
  let endMs: number | undefined
  const listener: TurnListener = {
    started: nothing,
    resumed: nothing,
    withdrawn: nothing,
    duck: nothing,
    unduck: nothing,
    interrupted: nothing,
    idle: nothing,
    paused: ({ turn, untilMs }) => {
      if (early++ < maxEarly) due.push({ atFrame: frame + transcriptionFrames, turn, untilMs })
    },
    ended: (_: CallerTurn) => {
      endMs ??= frame * frameMs
    },
  }
  using taking = await TurnTaking.open(detection, listener)
  if (turn.after) taking.setAssistantSentence(turn.after)
  for (let at = 0; at + frameSamples <= sound.samples.length && endMs === undefined; at += frameSamples) {
    frame++
    while (due[0] && due[0].atFrame <= frame) {
      const { turn, untilMs } = due.shift()!
      taking.addTranscript(turn, known(untilMs), untilMs)
    }
    taking.write(sound.samples.subarray(at, at + frameSamples))
  }
  return (endMs ?? Number.POSITIVE_INFINITY) - sound.stretches.at(-1)!.untilMs
}

const middleOf = (values: number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1]!

async function measured(noiseDb: number, detection: typeof byWords | typeof bySilence) {
  const waits: { waitMs: number; end: SpokenTurn['end'] }[] = []
  for (const turn of spokenTurns)
    waits.push({ waitMs: await waitOf(turn, noiseDb, detection), end: turn.end })
  const isCut = ({ waitMs }: { waitMs: number }): boolean => waitMs < 0
  const sure = waits.filter((one) => one.end === 'sure' && !isCut(one)).map(({ waitMs }) => waitMs)
  const cut = waits.filter(isCut).length / waits.length
  return { cut, sureMs: middleOf(sure), maxMs: Math.max(...waits.map(({ waitMs }) => waitMs)) }
}

describe.skipIf(!hasEspeak)('of sixty turns', () => {
  test.each([
    [-60, 0.05],
    [-40, 0.05],
    [-30, 0.1],
  ])(
    'over noise of %i dB so many at most are cut: %d, and half of those that end surely wait 300 ms at most',
    async (noiseDb, most) => {
      const { cut, sureMs, maxMs } = await measured(noiseDb, byWords)
      console.info(
        `end of turn by words at ${noiseDb} dB: ${(100 * cut).toFixed(1)} % cut, sure ends ${sureMs.toFixed(0)} ms`,
      )
      expect(cut).toBeLessThanOrEqual(most)
      expect(sureMs).toBeLessThanOrEqual(300)
      expect(maxMs).toBeLessThanOrEqual(1_440)
    },
  )

  test('500 ms of silence cut ten times as many, and wait longer', async () => {
    const [plain, words] = [await measured(-60, bySilence), await measured(-60, byWords)]
    expect(plain.cut).toBeGreaterThan(10 * words.cut)
    expect(plain.sureMs).toBeGreaterThan(words.sureMs)
  })
})
