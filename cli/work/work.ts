/** `kherad work …`: orders durable work from a running server, shows its progress, and saves its results. */
import path from 'node:path'
import type { Command, CommandResult, ParsedArguments, Session } from '../command.ts'
import { connection } from '../server/phrases.ts'
import { idempotentBody, requestRecord } from '../server/records.ts'
import { type Server, serverOf } from '../server.ts'
import { follow } from './events.ts'
import { workPhrases as words } from './phrases.ts'
import { saveFiles } from './save.ts'

interface WorkRun {
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
      options: [...connection, 'title', 'model', 'out'],
      needs: [],
      run: (session, given) => startRun(session, given, kind),
    }),
  ),
  {
    name: 'work watch',
    about: words.watch,
    takes: ['ID'],
    options: [...connection, 'out'],
    needs: [],
    run: async (session, given) => followRun(session, await serverOf(session, given), given.words[0]!, given),
  },
]

async function startRun(session: Session, given: ParsedArguments, kind: string): Promise<CommandResult> {
  const server = await serverOf(session, given)
  const { title, model } = given.options
  const body = {
    kind,
    input: given.words[0],
    ...(title !== undefined && { title }),
    ...(model !== undefined && { model }),
  }
  const { id, reserved_credits } = await requestRecord<{ id: string; reserved_credits: number }>(
    server,
    'POST',
    '/v1/work',
    idempotentBody(body),
  )
  session.notify(words.accepted(id, reserved_credits)[session.language])
  return followRun(session, server, id, given)
}

/** Shows the events of the run until it ends, and saves its files. */
async function followRun(
  session: Session,
  server: Server,
  id: string,
  given: ParsedArguments,
): Promise<CommandResult> {
  let percent = 0
  for await (const event of follow(server, encodeURIComponent(id))) {
    percent = event.type === 'succeeded' ? 100 : (event.percent ?? percent)
    session.notify(words.step(percent, event.message)[session.language])
  }
  const run = await requestRecord<WorkRun>(server, 'GET', `/v1/work/${encodeURIComponent(id)}`)
  const folder = given.options['out'] ?? `kherad-work-${run.id}`
  const saved = await saveFiles(server, run, folder)
  const end = words.ended(run.progress.message, run.credits)[session.language]
  return {
    json: { ...run, saved },
    text: [end, ...saved.map((place) => `  ${path.relative(process.cwd(), place)}`), ''].join('\n'),
    failed: run.status !== 'succeeded',
  }
}
