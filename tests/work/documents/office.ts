import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { startMs } from '../../harness/until.ts'

const run = promisify(execFile)

/** The module of LibreOffice that opens files of an ending; Debian has each in a package of its own. */
const modules = { docx: 'libswlo.so', xlsx: 'libsclo.so' }
type Ending = keyof typeof modules

/** The endings that the office suite of this machine opens; tests of the others are skipped, and this says so. */
const endings: ReadonlySet<Ending> = new Set(await openable())

async function openable(): Promise<Ending[]> {
  const { stdout } = await run('sh', ['-c', 'readlink -f "$(command -v soffice)"']).catch(() => ({
    stdout: '',
  }))
  const folder = path.dirname(stdout.trim())
  const found = (Object.keys(modules) as Ending[]).filter((ending) =>
    existsSync(path.join(folder, modules[ending])),
  )
  const missing = Object.keys(modules).filter((ending) => !found.includes(ending as Ending))
  if (missing.length > 0)
    console.warn(`LibreOffice does not open ${missing.join(' and ')} here: tests of such files are skipped.`)
  return found
}

/** Whether the office suite of this machine opens files of this ending. */
export const officeOpens = (ending: Ending): boolean => endings.has(ending)

const filters = { txt: 'txt:Text (encoded):UTF8', pdf: 'pdf', html: 'html' }

/** What LibreOffice makes of a file: its text, its pages as PDF, or a page of HTML with cells as they are shown, in which no font has a say. */
export async function openedInOffice(
  file: Uint8Array,
  ending: Ending,
  as: 'txt' | 'pdf' | 'html',
): Promise<Buffer> {
  const folder = await mkdtemp(path.join(tmpdir(), 'office-'))
  try {
    const source = path.join(folder, `file.${ending}`)
    await writeFile(source, file)
    const profile = `-env:UserInstallation=file://${folder}/profile`
    const said = await run(
      'soffice',
      [profile, '--headless', '--convert-to', filters[as], '--outdir', folder, source],
      { timeout: startMs },
    )
    // It ends with 0 also where it could not open the file, and says why.
    return await readFile(path.join(folder, `file.${as}`)).catch(() => {
      throw new Error(`LibreOffice wrote no ${as} of the ${ending}: ${said.stdout}${said.stderr}`)
    })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
