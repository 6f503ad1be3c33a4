import { editorSchema } from '#platform/config'
import { settings } from '#settings'
import type { Command, Outcome } from './command.ts'

export const configCommands: Command[] = [
  {
    name: 'config schema',
    about: {
      fa: 'JSON Schema پروندهٔ پیکربندی، برای ویرایشگرها.',
      en: 'The JSON Schema of the configuration file, for editors.',
    },
    takes: [],
    options: [],
    needs: [],
    run,
  },
]

async function run(): Promise<Outcome> {
  const schema = editorSchema(settings)
  return { json: schema, text: `${JSON.stringify(schema, null, 2)}\n` }
}
