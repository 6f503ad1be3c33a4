/** Who has signed in in this browser, and their projects. Hint, project and language are those of the console. */
import { Api, Refusal } from './api.js'

/** @typedef {{ id: string, name: string, account: string }} Project */

const hint = 'kherad.signed-in'
const chosen = 'kherad.project'

/**
 * The projects of the person in whose session this page is, the one of the console first; undefined for a stranger. Throws what the server refuses else.
 * @returns {Promise<Project[] | undefined>}
 */
export async function projectsOfSession() {
  if (localStorage.getItem(hint) === null) return undefined
  try {
    /** @type {{ data: { name: string, projects: { id: string, name: string }[] }[] }} */
    const { data } = await new Api({ project: undefined }).get('/v1/me/accounts')
    const projects = data.flatMap(({ name: account, projects }) =>
      projects.map(({ id, name }) => ({ id, name, account })),
    )
    const first = localStorage.getItem(chosen)
    return projects.toSorted((a, b) => Number(b.id === first) - Number(a.id === first))
  } catch (error) {
    if (!(error instanceof Refusal && error.code === 'NOT_SIGNED_IN')) throw error
    localStorage.removeItem(hint)
    return undefined
  }
}

/** @param {string} id */
export const chooseProject = (id) => localStorage.setItem(chosen, id)

/** @param {string} language */
export const chooseLanguage = (language) => localStorage.setItem('kherad.locale', language)
