/** `kherad work …`: asks a running server for durable work, shows how it goes, and saves what it makes. */
import { randomUUID } from 'node:crypto'
import path from 'node:path'
import type { Command, Outcome, ParsedArguments, Session } from './command.ts'
import { requestJson, type Server, serverOf } from './server.ts'
import { follow } from './work/events.ts'
import { workPhrases as words } from './work/phrases.ts'
import { saveFiles } from './work/save.ts'

interface Run {
  id: string
  status: string
  credits: number
  progress: { message: string }
  files: { path: string }[]
}

export const workCommands: Command[] = [
  ...Object.entries(words.kinds).map(
    ([kind, about]): Command => ({
      name: `work ${kind}`,
      about,
      takes: ['TASK'],
      options: ['url', 'key', 'key-file', 'title', 'model', 'out'],
      needs: [],
      run: (session, given) => begin(session, given, kind),
    }),
  ),
  {
    name: 'work watch',
    about: words.watch,
    takes: ['ID'],
    options: ['url', 'key', 'key-file', 'out'],
    needs: [],
    run: async (session, given) => followRun(session, await serverOf(session, given), given.words[0]!, given),
  },
]

async function begin(session: Session, given: ParsedArguments, kind: string): Promise<Outcome> {
  const server = await serverOf(session, given)
  const { title, model } = given.options
  const reply = await requestJson(server, 'POST', '/v1/work', {
    body: {
      kind,
      input: given.words[0],
      ...(title !== undefined && { title }),
      ...(model !== undefined && { model }),
    },
    // Sent again after a lost answer it is the same work.
    headers: { 'idempotency-key': randomUUID() },
  })
  const { id, reserved_credits } = (await reply.json()) as { id: string; reserved_credits: number }
  session.notify(words.accepted(id, reserved_credits)[session.language])
  return followRun(session, server, id, given)
}

/** Shows what happens to the run until it ends, and saves what there is. */
async function followRun(
  session: Session,
  server: Server,
  id: string,
  given: ParsedArguments,
): Promise<Outcome> {
  let percent = 0
  for await (const event of follow(server, encodeURIComponent(id))) {
    percent = event.type === 'succeeded' ? 100 : (event.percent ?? percent)
    session.notify(words.step(percent, event.message)[session.language])
  }
  const reply = await requestJson(server, 'GET', `/v1/work/${encodeURIComponent(id)}`)
  const run = (await reply.json()) as Run
  const folder = given.options['out'] ?? `kherad-work-${run.id}`
  const saved = await saveFiles(server, run, folder)
  const end = words.ended(run.progress.message, run.credits)[session.language]
  return {
    json: { ...run, saved },
    text: [end, ...saved.map((place) => `  ${path.relative(process.cwd(), place)}`), ''].join('\n'),
    failed: run.status !== 'succeeded',
  }
}
