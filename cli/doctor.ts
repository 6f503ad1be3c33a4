import { existsSync } from 'node:fs'
import { loadConfig } from '#settings'
import type { BilingualText, Command, CommandResult, ParsedArguments, Session } from './command.ts'
import { checkAppsDomain } from './doctor/apps-domain.ts'
import { broken, type DoctorCheck, ok, reasonOf } from './doctor/check.ts'
import { checkDatabase, skipBecauseOf } from './doctor/database.ts'
import { fileConfig } from './doctor/file-config.ts'
import { checkInstallation } from './doctor/installation.ts'
import { checkLive } from './doctor/live.ts'
import { liveTitles } from './doctor/live-phrases.ts'
import {
  checkBinaries,
  checkConfinement,
  checkDisk,
  checkFolder,
  checkNode,
  checkPort,
} from './doctor/machine.ts'
import { type CheckName, checkTitles, doctorPhrases } from './doctor/phrases.ts'
import { checkSealingKey } from './doctor/secrets.ts'
import { checkStoredFiles } from './doctor/stored-files.ts'
import { voiceTitles } from './doctor/voice-phrases.ts'
import { width } from './output.ts'

export const doctorCommands: Command[] = [
  {
    name: 'doctor',
    about: {
      fa: 'اجراکننده، پایگاه داده، پیکربندی، دیسک، درگاه و هر ارائه‌دهنده را می‌آزماید و راه درمان را می‌گوید.',
      en: 'Checks runtime, database, configuration, disk, port and every provider, and says how to fix what is broken.',
    },
    takes: [],
    options: [],
    needs: [],
    flags: ['live'],
    run,
  },
]

/** Runs all checks, whatever the others find; the outcome has failed when one check is broken. */
async function run(session: Session, { flags }: ParsedArguments): Promise<CommandResult> {
  const checks = await examineAll(session, flags.includes('live'))
  const brokenChecks = checks.filter(({ state }) => state === 'broken').length
  const { language } = session
  const titles = checks.map(({ name }) => titleOf(name)[language])
  const widest = Math.max(...titles.map(width))
  const lines = checks.map(({ state, message }, at) => {
    const title = titles[at] ?? ''
    return `${marks[state]} ${title}${' '.repeat(widest - width(title))}  ${message[language]}\n`
  })
  return {
    json: {
      ok: brokenChecks === 0,
      checks: checks.map(({ name, state, message }) => ({ name, state, message: message[language] })),
    },
    text: `${lines.join('')}\n${doctorPhrases.summary(brokenChecks)[language]}\n`,
    failed: brokenChecks > 0,
  }
}

const marks = { ok: '✓', warning: '!', broken: '✗', skipped: '–' }

async function examineAll(session: Session, live: boolean): Promise<DoctorCheck[]> {
  const { env } = session
  let config: ReturnType<typeof loadConfig>
  try {
    config = loadConfig(env)
  } catch (error) {
    const onSettings: CheckName[] = [
      'data_folder',
      'installation',
      'disk',
      'ffmpeg',
      'binaries',
      'database',
      'config',
      'provider',
      'port',
    ]
    return [checkNode(), broken('settings', reasonOf(error)), ...skipBecauseOf(onSettings, 'settings')]
  }
  const settings = ok('settings', { fa: config.baseUrl, en: config.baseUrl })
  // Only the doctor needs every provider room and the server; other commands start faster without them.
  const { checkProviders } = await import('./doctor/providers.ts')
  const { checkFfmpeg } = await import('./doctor/ffmpeg.ts')
  // The programs are checked after the database: making it ready may repair their files.
  const database = checkDatabase(session)
  const [
    folder,
    installation,
    disk,
    confinement,
    ffmpeg,
    databases,
    binaries,
    kept,
    providers,
    port,
    appsDomain,
    running,
  ] = await Promise.all([
    checkFolder(config),
    checkInstallation(config),
    checkDisk(fileConfig(env) ?? config),
    checkConfinement(),
    checkFfmpeg(config),
    database,
    database.then(() => checkBinaries(config)),
    database.then(() => Promise.all([checkSealingKey(session, config), checkStoredFiles(session)])),
    checkProviders(env, existsSync(env.configFile)),
    checkPort(config),
    checkAppsDomain(config),
    live ? checkLive(session, config) : [],
  ])
  return [
    checkNode(),
    settings,
    folder,
    installation,
    disk,
    confinement,
    ffmpeg,
    binaries,
    ...databases,
    ...kept,
    ...providers,
    port,
    ...appsDomain,
    ...running,
  ]
}

/** The title of a check. `provider acme` has the title of providers and the id of one. */
function titleOf(name: string): BilingualText {
  const [kind = '', id] = name.split(' ')
  const known: Readonly<Record<string, BilingualText>> = { ...checkTitles, ...voiceTitles, ...liveTitles }
  const title = known[kind] ?? { fa: kind, en: kind }
  return id === undefined ? title : { fa: `${title.fa} ${id}`, en: `${title.en} ${id}` }
}
