import { randomBytes } from 'node:crypto'
import { readConfigFile } from '#platform/config'
import { loadConfig } from '#settings'
import { type Command, type CommandResult, refuse, type Session } from '../command.ts'
import { phrases } from '../phrases.ts'

export const functionHostCommands: Command[] = [
  {
    name: 'functions key',
    about: {
      fa: 'کلیدی تازه برای کانال میان API و میزبان تابع‌ها (KHERAD_FUNCTIONS_KEY).',
      en: 'A new key for the channel between the API and a host of functions (KHERAD_FUNCTIONS_KEY).',
    },
    takes: [],
    options: [],
    needs: [],
    run: makeKey,
  },
  {
    name: 'functions packages install',
    about: {
      fa: 'بسته‌هایی را که functions.packages نام برده است با npm در پوشهٔ داده نصب می‌کند، بی‌آنکه چیزی از آن‌ها اجرا شود.',
      en: 'Installs the packages that functions.packages names in the data folder, by npm and without running anything of them.',
    },
    takes: [],
    options: [],
    needs: [],
    run: install,
  },
]

/** Prints a key of 32 random bytes. It is stored nowhere: whoever made it writes it down on both sides. */
async function makeKey(): Promise<CommandResult> {
  const key = randomBytes(32).toString('base64url')
  return { json: { key }, text: `${key}\n` }
}

/** Installs the packages. A server finds them at the next function that is deployed. */
async function install({ env, language, stopping }: Session): Promise<CommandResult> {
  const { dataDir, functions } = loadConfig(env, readConfigFile(env))
  const { packages } = functions
  if (packages.length === 0) refuse('NO_PACKAGES', phrases.noFunctionPackages())
  const { installPackages } = await import('#cloud/functions')
  const done = await installPackages(dataDir, packages, stopping)
  if ('failed' in done) refuse('NOT_INSTALLED', phrases.functionPackagesFailed(done.failed))
  return {
    json: { folder: done.folder, packages },
    text: `${phrases.functionPackages(packages.length, done.folder)[language]}\n`,
  }
}
