import { locale } from '../words/locale.ts'
import { whenAnswered } from './ask.ts'
import { addressOf, refusalOf } from './client.ts'
import { project } from './project.ts'

/** Saves what a route answers as a file of this name. Throws as `call` does. The answer has a bound by which it fits into memory. */
export async function download(path: string, query: object, name: string): Promise<void> {
  const projectId = project()
  const response = await whenAnswered(async () => {
    const answer = await fetch(addressOf(path, { query }), {
      credentials: 'same-origin',
      headers: {
        'accept-language': locale(),
        ...(projectId !== undefined && { 'x-kherad-project': projectId }),
      },
    })
    if (!answer.ok) throw refusalOf(answer, JSON.parse(await answer.text()))
    return answer
  })
  const url = URL.createObjectURL(await response.blob())
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  URL.revokeObjectURL(url)
}
