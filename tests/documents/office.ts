import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Whether an office suite is here to open what was made; without one these tests are skipped, and say so. */
export const hasOffice: boolean = await run('soffice', ['--version']).then(
  () => true,
  () => {
    console.warn('LibreOffice (soffice) is not installed: files are not opened in an office suite here.')
    return false
  },
)

const filters = { txt: 'txt:Text (encoded):UTF8', pdf: 'pdf', html: 'html' }

/** What LibreOffice makes of a file: its text, its pages as PDF, or a page of HTML with cells as they are shown, in which no font has a say. */
export async function openedInOffice(
  file: Uint8Array,
  ending: 'docx' | 'xlsx',
  as: 'txt' | 'pdf' | 'html',
): Promise<Buffer> {
  const folder = await mkdtemp(path.join(tmpdir(), 'office-'))
  try {
    const source = path.join(folder, `file.${ending}`)
    await writeFile(source, file)
    const profile = `-env:UserInstallation=file://${folder}/profile`
    await run('soffice', [profile, '--headless', '--convert-to', filters[as], '--outdir', folder, source], {
      timeout: 100_000,
    })
    return await readFile(path.join(folder, `file.${as}`))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
