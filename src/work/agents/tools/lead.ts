/** A contact that somebody left, parsed from the input that a model wrote; a sentence for the model if it is invalid. */
import { member, textMember } from '#core/tools'
import { emailOf, phoneOf } from './contact.ts'
import { type InvalidInput, textOf } from './read-input.ts'

export interface Lead {
  name: string | null
  phone: string | null
  email: string | null
  company: string | null
  note: string | null
}

export interface CapturedLead {
  lead: Lead
  /** The sentence that the person was shown and agreed to. */
  consent: string
}

/** The JSON Schema of the tool's input, as the model gets it. */
export const leadParameters = {
  type: 'object',
  properties: {
    name: { type: 'string', description: 'The name of the person, at most 120 characters.' },
    phone: {
      type: 'string',
      pattern: '^[+(]?[0-9][0-9 ().-]{5,23}$',
      description: 'Their telephone number, with the country code where it is known.',
    },
    email: { type: 'string', format: 'email', description: 'Their e-mail address.' },
    company: { type: 'string', description: 'Where they work, at most 120 characters.' },
    note: {
      type: 'string',
      description: 'What they want, in one or two sentences; at most 1000 characters.',
    },
    consent_text: {
      type: 'string',
      minLength: 10,
      description:
        'The very sentence by which the person was asked whether their contact may be kept; 10 to 500 characters.',
    },
    consent_given: {
      type: 'boolean',
      description: 'True only if the person agreed to that sentence in their own words.',
    },
  },
  required: ['consent_text', 'consent_given'],
  additionalProperties: false,
}

export function leadOf(input: unknown): CapturedLead | InvalidInput {
  const consent = textOf(input, 'consent_text', { min: 10, max: 500 })
  if (typeof consent === 'object') return consent
  if (consent === undefined || member(input, 'consent_given') !== true) return { wrong: noConsent }
  const about = aboutOf(input)
  if ('wrong' in about) return about
  const reach = reachOf(input)
  return 'wrong' in reach ? reach : { lead: { ...about, ...reach }, consent }
}

function aboutOf(input: unknown): Pick<Lead, 'name' | 'company' | 'note'> | InvalidInput {
  const name = textOf(input, 'name', { min: 1, max: 120 })
  if (typeof name === 'object') return name
  const company = textOf(input, 'company', { min: 1, max: 120 })
  if (typeof company === 'object') return company
  const note = textOf(input, 'note', { min: 1, max: 1000 })
  if (typeof note === 'object') return note
  return { name: name ?? null, company: company ?? null, note: note ?? null }
}

function reachOf(input: unknown): Pick<Lead, 'phone' | 'email'> | InvalidInput {
  const given = { phone: textMember(input, 'phone'), email: textMember(input, 'email') }
  if (given.phone === undefined && given.email === undefined) return { wrong: noContact }
  const phone = given.phone === undefined ? null : phoneOf(given.phone)
  if (phone === undefined) return { wrong: noPhone }
  const email = given.email === undefined ? null : emailOf(given.email)
  return email === undefined ? { wrong: noEmail } : { phone, email }
}

const noConsent =
  'nothing is kept without consent: ask the person in one sentence whether their contact may be kept and what for, and call this again with that sentence in consent_text and consent_given true once they have agreed.'
const noContact = 'give phone or email; ask the person for one of them.'
const noPhone = 'phone is no telephone number of 7 to 15 digits; ask the person for it again.'
const noEmail = 'email is no e-mail address such as name@example.com; ask the person for it again.'
