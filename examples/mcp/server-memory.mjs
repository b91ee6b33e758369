// Runs `fovea mcp --compat server-memory` where a program wants to start the script of
// @modelcontextprotocol/server-memory with node. The graph of each MEMORY_FILE_PATH is in a memex
// beside it; FOVEA names the command.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

const file = path.resolve(process.env.MEMORY_FILE_PATH ?? 'memory.jsonl');
const memex = path.join(path.dirname(file), `.${path.basename(file)}.memex`);
fs.mkdirSync(memex, { recursive: true });
const child = spawn(process.env.FOVEA ?? 'fovea', ['mcp', '--compat', 'server-memory', '--memex', memex], {
  stdio: 'inherit', env: { ...process.env, MEMORY_FILE_PATH: file },
});
child.on('exit', (code, signal) => process.exit(code ?? (signal ? 1 : 0)));
process.on('SIGTERM', () => child.kill());
