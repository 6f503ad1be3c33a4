import { declareFailures, type Localized } from '#platform/errors'
import { persian } from '#platform/words'

declare module '#platform/errors' {
  interface Failures {
    TOKEN_COUNTING_UNAVAILABLE: Record<string, never>
  }
}

declareFailures({
  TOKEN_COUNTING_UNAVAILABLE: {
    status: 503,
    retry: false,
    en: () =>
      'Tokens are not counted ahead of a request here: tokenizers belong to the models’ vendors. Nothing was generated or charged; every answer tells its own usage.',
    fa: () =>
      'توکن‌ها پیش از درخواست شمرده نمی‌شوند، زیرا توکن‌ساز هر مدل نزد سازندهٔ آن است. چیزی تولید یا هزینه نشد؛ هر پاسخ مصرف خود را می‌گوید.',
  },
})

/** Reasons for refusing a request. */
export const reasons = {
  version: (known: readonly string[]): Localized => ({
    en: `the header anthropic-version must be one of ${known.join(', ')}.`,
    fa: `هدر anthropic-version باید یکی از این‌ها باشد: ${known.join('، ')}.`,
  }),
  notInVersion: (field: string, version: string): Localized => ({
    en: `${field} is not taken under anthropic-version ${version}; leave it out or send an older version.`,
    fa: `${field} در anthropic-version ${version} پذیرفته نیست؛ آن را حذف کنید یا نسخهٔ پیشین را بفرستید.`,
  }),
  needsBeta: (type: string, beta: string): Localized => ({
    en: `the tool ${type} needs ${beta} in the header anthropic-beta.`,
    fa: `ابزار ${type} به ${beta} در هدر anthropic-beta نیاز دارد.`,
  }),
  twoFormats: {
    en: 'output_format is the older name of output_config.format; send one of them.',
    fa: 'output_format نام پیشین output_config.format است؛ یکی را بفرستید.',
  },
  noThreads: {
    en: 'thread is not possible: conversations are not kept here. Leave it out and send all messages with each request.',
    fa: 'thread شدنی نیست: اینجا گفت‌وگویی نگه داشته نمی‌شود. آن را حذف کنید و با هر درخواست همهٔ پیام‌ها را بفرستید.',
  },
  noTools: {
    en: 'tool_choice asks for a tool but tools is empty.',
    fa: 'tool_choice ابزار می‌خواهد ولی tools خالی است.',
  },
  noSuchTool: (name: string): Localized => ({
    en: `tool_choice names ${name}, which is not among the tools.`,
    fa: `tool_choice ابزار ${name} را نام برده که میان ابزارها نیست.`,
  }),
  smallLimit: (budget: number): Localized => ({
    en: `thinking.budget_tokens (${budget}) must be less than max_tokens.`,
    fa: `thinking.budget_tokens (${persian(budget)}) باید کمتر از max_tokens باشد.`,
  }),
  twoCalls: (id: string): Localized => ({
    en: `two tool_use blocks have the id ${id}; each call needs its own, and its own tool_result.`,
    fa: `دو بلوک tool_use شناسهٔ ${id} دارند؛ هر فراخوانی شناسه و tool_result خودش را می‌خواهد.`,
  }),
  unexpectedResult: (id: string): Localized => ({
    en: `the tool_result of ${id} has no tool_use of that id in the message before it.`,
    fa: `برای tool_result با شناسهٔ ${id} در پیام پیش از آن tool_use نیست.`,
  }),
  missingResults: (ids: readonly string[]): Localized => ({
    en: `every tool_use needs its tool_result before the next message; missing: ${ids.join(', ')}.`,
    fa: `هر tool_use پیش از پیام بعدی به tool_result خود نیاز دارد؛ نیامده: ${ids.join('، ')}.`,
  }),
  sameName: (name: string): Localized => ({
    en: `two tools are named ${name}; the model could not tell them apart.`,
    fa: `دو ابزار نام ${name} دارند و مدل نمی‌تواند آن‌ها را از هم باز بشناسد.`,
  }),
  twoLists: {
    en: 'allowed_domains and blocked_domains exclude each other; send one of them.',
    fa: 'allowed_domains و blocked_domains با هم نمی‌آیند؛ یکی را بفرستید.',
  },
  noDomain: {
    en: 'a domain is written without scheme and port: example.com, or example.com/blog.',
    fa: 'دامنه بی‌پروتکل و بی‌درگاه نوشته می‌شود: example.com یا example.com/blog.',
  },
  noTimeZone: {
    en: 'the time zone must be a name of the IANA database, such as Asia/Tehran.',
    fa: 'منطقهٔ زمانی باید نامی از پایگاه IANA باشد، مانند Asia/Tehran.',
  },
}

/** Descriptions of what no other wire can carry, for the message of FEATURE_NOT_SUPPORTED. */
export const abilities = {
  citations: 'citations of documents',
  serverTools: 'tools that run at its vendor',
  codeCallers: 'hosted tools called by code',
  urlSources: 'url_sources of a fetch',
  assistantDocuments: 'documents in an assistant message',
}
