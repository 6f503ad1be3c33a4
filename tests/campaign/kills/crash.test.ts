import { describe, expect, test } from 'vitest'
import { FailedStep, LostStep, OutOfCredits, type Pipeline, type Task } from '#work/pipelines'
import { Killed, MemoryRun, type ScriptedServices, someTask } from '../../harness/memory-run.ts'
import { quick } from '../../work/research/makers.ts'
import { researchOutside, researchTask } from '../../work/research/research-script.ts'
import {
  codeOutside,
  codeTask,
  dataOutside,
  dataTask,
  documentOutside,
  documentTask,
} from '../../work/research/samples.ts'

const pipelines = quick()
const kinds: [Task['kind'], Task, ScriptedServices][] = [
  ['research', someTask(researchTask), researchOutside()],
  ['document', someTask(documentTask), documentOutside],
  ['code', someTask(codeTask), codeOutside],
  ['data', someTask(dataTask), dataOutside],
]

describe.each(kinds)('%s', (kind, task, services) => {
  const pipeline = pipelines[kind]

  test.each(['before', 'after'] as const)(
    'killed %s every step and every file, it hands over the same files',
    async (when) => {
      const whole = new MemoryRun(task, services)
      const outcome = await whole.live(pipeline)
      const killed = new MemoryRun(task, services)
      expect(await manyLives(killed, pipeline, when)).toEqual(outcome)
      expect(killed.files).toEqual(whole.files)
      expect(killed.steps).toEqual(whole.steps)
      expect(new Set(killed.steps).size).toBe(killed.steps.length)
    },
  )

  test('any one step that is lost or fails is planned around, and the run says so', async () => {
    const whole = new MemoryRun(task, services)
    await whole.live(pipeline)
    for (const step of whole.questions.map((question) => question.step))
      for (const trouble of [new LostStep(step), new FailedStep(step, 'UPSTREAM_UNAVAILABLE')]) {
        const run = new MemoryRun(
          task,
          changed(services, (own) => (own === step ? trouble : undefined)),
        )
        const outcome = await run.live(pipeline)
        expect(outcome, step).toMatchObject({ isComplete: false })
        expect(outcome.words.fa).toContain('جا مانده')
        expect(run.files.size, step).toBeGreaterThan(0)
        expect(run.progress.at(-1)?.percent).toBe(100)
      }
  })

  test('whenever the credits run out, nothing more is asked, and what there is is handed over', async () => {
    const whole = new MemoryRun(task, services)
    await whole.live(pipeline)
    for (let left = 0; left < whole.questions.length; left += 1) {
      let asked = 0
      const run = new MemoryRun(
        task,
        changed(services, () => (++asked > left ? new OutOfCredits() : undefined)),
      )
      const outcome = await run.live(pipeline).catch((error: unknown) => error)
      expect(asked).toBe(left + 1)
      if (outcome instanceof OutOfCredits) expect(run.files.size).toBe(0)
      else {
        expect(outcome).toMatchObject({ isComplete: false })
        expect(run.files.size).toBeGreaterThan(0)
      }
    }
  })

  test('a cancelled run throws the reason at once', async () => {
    const reason = new Error('cancelled')
    const run = new MemoryRun(task, services, AbortSignal.abort(reason))
    await expect(run.live(pipeline)).rejects.toBe(reason)
    expect(run.questions).toEqual([])
  })
})

/** Dies at every step that no life has answered, then at every file. */
async function manyLives(run: MemoryRun, pipeline: Pipeline, when: 'before' | 'after') {
  let [steps, keeps] = [1, 1]
  for (let lives = 0; lives < 500; lives += 1) {
    try {
      return await run.live(pipeline, { when, steps, keeps })
    } catch (error) {
      if (!(error instanceof Killed)) throw error
      if (error.message === 'keeps') keeps += 1
      // Who dies before a step never gets over it, unless the next life dies before the next one.
      else if (when === 'before') steps = 2
    }
  }
  throw new Error('it never ended')
}

const changed = (
  services: ScriptedServices,
  change: (step: string) => ReturnType<ScriptedServices['say']> | undefined,
): ScriptedServices => ({
  ...services,
  say: (step, question) => change(step) ?? services.say(step, question),
})
