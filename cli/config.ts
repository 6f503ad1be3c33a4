import { editorSchema } from '#platform/config'
import { settings, variables } from '#settings'
import type { Command, CommandResult, Session } from './command.ts'
import { table } from './output.ts'
import { phrases, titles } from './phrases.ts'

export const configCommands: Command[] = [
  {
    name: 'config schema',
    about: {
      fa: 'JSON Schema فایل پیکربندی، برای ویرایشگرها.',
      en: 'The JSON Schema of the configuration file, for editors.',
    },
    takes: [],
    options: [],
    needs: [],
    run: showSchema,
  },
  {
    name: 'config variables',
    about: {
      fa: 'متغیرهای محیطی که خوانده می‌شوند، با پیش‌فرض و معنایشان.',
      en: 'The variables of the environment that are read, with default and meaning.',
    },
    takes: [],
    options: [],
    needs: [],
    run: listVariables,
  },
]

async function showSchema(): Promise<CommandResult> {
  const schema = editorSchema(settings)
  return { json: schema, text: `${JSON.stringify(schema, null, 2)}\n` }
}

async function listVariables({ language }: Session): Promise<CommandResult> {
  return {
    json: {
      data: variables.map(({ name, about, default: standard = null, secret = false }) => ({
        name,
        default: standard,
        secret,
        about: about[language],
      })),
    },
    text: table(
      variables,
      [
        { title: titles.variable, show: ({ name }) => name },
        { title: titles.default, show: (one) => one.default ?? phrases.none()[language] },
        { title: titles.meaning, show: ({ about }) => about[language] },
      ],
      language,
    ),
  }
}
