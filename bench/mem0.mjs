// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// node mem0.mjs FOLDER URL answers lines of JSON-RPC with the library mem0ai, whose
// files are in FOLDER, as an MCP server does with its tools: fill keeps as many notes
// as it is told, add and search are the library's own. Embeddings and the language
// model are asked for at URL.

import { createInterface } from 'node:readline'
import { Memory } from 'mem0ai/oss'

const [folder, url] = process.argv.slice(2)
const who = { userId: 'bench' }
const dims = 256
const model = { apiKey: 'none', baseURL: url }
const memory = new Memory({
  embedder: { provider: 'openai', config: { ...model, model: 'embed', embeddingDims: dims } },
  llm: { provider: 'openai', config: { ...model, model: 'chat' } },
  vectorStore: { provider: 'memory', config: { collectionName: 'bench', dimension: dims, dbPath: `${folder}/vectors.db` } },
  historyStore: { provider: 'sqlite', config: { historyDbPath: `${folder}/history.db` } },
})

// fill puts notes where the library keeps them, as its own add leaves them there.
async function fill({ count }) {
  await memory.search('begin', { filters: { user_id: who.userId } }) // opens the store
  const [ids, vectors, payloads] = [[], [], []]
  for (let i = 0; i < count; i++) {
    const data = `cat-${String(i % 50).padStart(2, '0')} says ${i}`
    ids.push(crypto.randomUUID())
    vectors.push(Array.from({ length: dims }, (_, k) => Math.sin(i * dims + k)))
    payloads.push({ data, textLemmatized: data, hash: String(i), user_id: who.userId, createdAt: new Date().toISOString() })
  }
  await memory.vectorStore.insert(vectors, ids, payloads)
}

const tools = {
  fill,
  add: ({ text, infer }) => memory.add(text, { ...who, infer }),
  search: ({ query }) => memory.search(query, { filters: { user_id: who.userId }, topK: 10 }),
}

console.log = console.warn = console.error = () => {} // standard output is for answers
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line)
  if (id === undefined) continue
  let answer = { result: {} }
  if (method === 'tools/call') {
    try {
      answer.result = await tools[params.name](params.arguments) ?? {}
    } catch (e) {
      answer = { error: { message: String(e) } }
    }
  }
  process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, ...answer }) + '\n')
}
process.exit(0)
