import { type Static, Type } from 'typebox'
import { idCursor, pageQuery, typedList } from '#platform/lists'
import { closed, nameSchemas, oneOf, storableText, timestamp, uuid } from '#platform/schema'
import { ResponseObject } from '#text/responses'
import { workKinds } from '#work/pipelines'
import { WorkFiles } from './start-work.ts'

const name = storableText(1, 80)
const instructions = storableText(0, 12_000, {
  description: 'What the agent is and how it answers.',
  'x-description-fa': 'عامل کیست و چگونه پاسخ می‌دهد.',
})
const model = Type.String({
  maxLength: 200,
  description: 'A text model.',
  'x-description-fa': 'یک مدل متنی.',
})

export const AgentKind = oneOf('chat', ...workKinds.map(({ name }) => name))
export type AgentKind = Static<typeof AgentKind>

export const AgentBody = Type.Object(
  {
    name,
    instructions: Type.Optional({ ...instructions, default: '' }),
    model: Type.Optional({
      ...model,
      description: 'Default: the fast text model.',
      'x-description-fa': 'پیش‌فرض: مدل متنی سریع.',
    }),
    kind: Type.Optional({
      ...AgentKind,
      default: 'chat',
      description: '`chat` answers at once; the others do durable work.',
      'x-description-fa': '`chat` همان‌جا پاسخ می‌دهد؛ بقیه کار ماندگار می‌کنند.',
    }),
    knowledge_id: Type.Optional({
      ...uuid('A knowledge project that answers may cite.'),
      'x-description-fa': 'پروژهٔ دانشی که پاسخ‌ها می‌توانند به آن استناد کنند.',
    }),
  },
  {
    ...closed,
    examples: [{ name: 'پشتیبانی فروشگاه', instructions: 'کوتاه و مؤدبانه پاسخ بده.' }],
  },
)
export type AgentBody = Static<typeof AgentBody>

export const AgentChange = Type.Object(
  { name: Type.Optional(name), instructions: Type.Optional(instructions), model: Type.Optional(model) },
  { ...closed, examples: [{ instructions: 'کوتاه، مؤدبانه و با ذکر منبع پاسخ بده.' }] },
)
export type AgentChange = Static<typeof AgentChange>

export const RunBody = Type.Object(
  {
    input: storableText(1, 12_000),
    stream: Type.Optional(Type.Boolean({ default: false })),
    include_reasoning: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'True shows the reasoning of the model in the answer.',
        'x-description-fa': 'اگر درست باشد، استدلال مدل در پاسخ می‌آید.',
      }),
    ),
    reasoning_effort: Type.Optional(Type.String()),
    reasoning: Type.Optional(Type.Object({ effort: Type.String() }, closed)),
    file_ids: Type.Optional(WorkFiles),
  },
  { ...closed, examples: [{ input: 'سلام! ساعت کاری شما چیست؟' }] },
)
export type RunBody = Static<typeof RunBody>

export const Prefer = Type.String({
  description: '`respond-async` has the run done as durable work (RFC 7240).',
  'x-description-fa': '`respond-async` اجرا را به کار ماندگار تبدیل می‌کند (RFC 7240).',
})

export const AgentParams = Type.Object({ id: uuid() })
export type AgentParams = Static<typeof AgentParams>

/** The most agents of a project, few enough that clients without paging see all of them. */
export const maxAgents = 100

export const AgentListQuery = pageQuery({
  max: maxAgents,
  standard: maxAgents,
  after: idCursor('Agents made before this one.', 'عامل‌هایی که پیش از این ساخته شده‌اند.'),
})
export type AgentListQuery = Static<typeof AgentListQuery>

/** Exactly the fields of the contract, and `knowledge_id` if the agent has one. */
export const Agent = Type.Object(
  {
    id: uuid(),
    project_id: uuid(),
    name: Type.String(),
    instructions: Type.String(),
    model: Type.String(),
    kind: AgentKind,
    knowledge_id: Type.Optional(uuid()),
    created_at: timestamp(),
    updated_at: timestamp(),
  },
  closed,
)
export type Agent = Static<typeof Agent>

export const AgentList = typedList.schema(Agent)

export const DeletedAgent = Type.Object(
  { id: uuid(), object: Type.Literal('agent.deleted'), deleted: Type.Literal(true) },
  closed,
)

/** A response of the responses wire, so that parsers of that wire can read it, with the agent's id and the events that its tools emitted. */
export const AgentAnswer = Type.Object({
  ...ResponseObject.properties,
  agent_id: uuid(),
  agent_events: Type.Array(oneOf('agent.lead', 'agent.handoff')),
})

nameSchemas({ Agent, AgentAnswer, AgentBody, AgentChange, AgentList, AgentRunBody: RunBody, DeletedAgent })
