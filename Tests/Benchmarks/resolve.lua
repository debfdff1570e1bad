-- Sends POST /resolve with the bodies of the file $BODIES, one after another. See measure.lua for the output.
-- The requests are built in advance, because work per request in wrk takes CPU time from the server.
local folder = debug.getinfo(1, "S").source:match("^@(.*/)")
dofile(folder .. "measure.lua")

local requests = {}
local count = 0

function init()
    for body in io.lines(os.getenv("BODIES")) do
        requests[#requests + 1] = wrk.format("POST", "/resolve", { ["Content-Type"] = "application/json" }, body)
    end
end

function request()
    count = count % #requests + 1
    return requests[count]
end
