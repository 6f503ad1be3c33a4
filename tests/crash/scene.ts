/** A site of its own for each test, since any worker of a site takes its work, with an upstream that counts its calls by prompt. */
import { test } from 'vitest'
import { answer, type Script, type UpstreamCall } from '../harness/upstream.ts'
import { openSite, type Person, type Site } from './site.ts'

export const credits = 1_000_000_000n

export interface Scene extends AsyncDisposable {
  site: Site
  person: Person
  /** What the upstream does with a prompt. */
  scripts: Map<string, () => Script | Promise<Script>>
  /** How often it was asked each. */
  calls: Map<string, number>
}

export async function openScene(): Promise<Scene> {
  const site = await openSite()
  const person = await site.person({ credits })
  const scripts: Scene['scripts'] = new Map()
  const calls: Scene['calls'] = new Map()
  site.upstream.reply(async (call) => {
    const prompt = promptOf(call)
    calls.set(prompt, (calls.get(prompt) ?? 0) + 1)
    return (await scripts.get(prompt)?.()) ?? answer(`answer to ${prompt}`)
  })
  return { site, person, scripts, calls, [Symbol.asyncDispose]: () => site[Symbol.asyncDispose]() }
}

const promptOf = ({ body }: UpstreamCall): string =>
  (body as { messages: [{ content: string }] }).messages[0].content

/** Some start seven processes, one after another, on a machine that runs other tests beside. */
const timeout = 400_000

/** A test on a scene of its own, beside others. */
export const onScene = <S extends AsyncDisposable>(
  open: () => Promise<S>,
  name: string,
  act: (at: S) => Promise<void>,
): void =>
  test.concurrent(name, { timeout }, async () => {
    await using at = await open()
    await act(at)
  })
