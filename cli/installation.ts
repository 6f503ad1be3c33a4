import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { adoptFolder } from '#platform/installation'
import { loadConfig } from '#settings'
import {
  type Command,
  CommandRefused,
  type CommandResult,
  type ParsedArguments,
  type Session,
} from './command.ts'
import { installationPhrases as words } from './installation/phrases.ts'

export const installationCommands: Command[] = [
  {
    name: 'start',
    about: words.startAbout(),
    takes: [],
    options: ['role'],
    needs: [],
    flags: ['copy'],
    help: words.startHelp,
    run: start,
  },
  { name: 'adopt', about: words.adoptAbout(), takes: [], options: [], needs: [], run: adopt },
]

/** The flags of Node that `npm start` has too. */
const nodeFlags = ['--max-semi-space-size=32', '--heap-growing-percent=50']
const program = fileURLToPath(new URL('../src/main.ts', import.meta.url))

/** Runs the server until it ends, or is told to stop with this command. */
async function start(session: Session, { flags, options }: ParsedArguments): Promise<CommandResult> {
  const args = [
    ...(options['role'] === undefined ? [] : ['--role', options['role']]),
    ...(flags.includes('copy') ? ['--copy'] : []),
  ]
  const server = spawn(process.execPath, [...nodeFlags, program, ...args], { stdio: 'inherit' })
  session.whenStopped(new CommandRefused('INTERRUPTED', words.stopping(), 1))
  session.stopping.addEventListener('abort', () => server.kill('SIGTERM'))
  const [code] = (await once(server, 'exit')) as [number | null]
  return { json: { code }, text: '', failed: code !== 0 }
}

/** Adopts the folder: the next start takes over what belonged to the original. */
async function adopt({ env, language }: Session): Promise<CommandResult> {
  const { dataDir } = loadConfig(env)
  const id = await adoptFolder(dataDir)
  return { json: { installation: id, folder: dataDir }, text: `${words.adopted(dataDir)[language]}\n` }
}
